import type { Usage } from '../../../core/chat-event.js';
import { cost, count, duration } from '../../../core/format.js';

/** What the turns of one CLI took in this chat. */
export interface Totals {
  readonly turns: number;
  readonly ms: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Undefined as long as the CLI has told no cost. */
  readonly costUsd: number | undefined;
}

/** By the names of the CLIs, in the order in which they answered first. */
export type TotalsOfChat = ReadonlyMap<string, Totals>;

const nothing: Totals = { turns: 0, ms: 0, inputTokens: 0, outputTokens: 0, costUsd: undefined };

export function withTurn(
  totals: TotalsOfChat,
  backend: string,
  ms: number,
  usage: Usage | undefined,
): TotalsOfChat {
  const before = totals.get(backend) ?? nothing;
  const told = usage?.costUsd;
  return new Map([
    ...totals,
    [
      backend,
      {
        turns: before.turns + 1,
        ms: before.ms + ms,
        inputTokens: before.inputTokens + (usage?.inputTokens ?? 0),
        outputTokens: before.outputTokens + (usage?.outputTokens ?? 0),
        costUsd: told === undefined ? before.costUsd : (before.costUsd ?? 0) + told,
      },
    ],
  ]);
}

/** A line for each CLI: `claude: 2 turns, 3.4 s: 3,204 tokens in, 512 out, $0.0123` */
export function totalsInWords(totals: TotalsOfChat): string {
  if (totals.size === 0) return 'There was no turn yet.';
  return [...totals].map(([backend, one]) => `${backend}: ${inWords(one)}`).join('\n');
}

function inWords({ turns, ms, inputTokens, outputTokens, costUsd }: Totals): string {
  const price = costUsd === undefined ? '; it tells no cost' : costUsd > 0 ? `, ${cost(costUsd)}` : '';
  return `${count(turns)} ${turns === 1 ? 'turn' : 'turns'}, ${duration(ms)}: ${count(inputTokens)} tokens in, ${count(outputTokens)} out${price}`;
}
