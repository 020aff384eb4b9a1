import type { Usage } from '../../core/chat-event.js';
import { cost, count, duration } from '../../core/format.js';
import { shownId, wholeLine } from '../../core/text.js';
import { widthOf } from '../../core/width.js';
import { shortId } from '../output/short-id.js';

export interface TurnFacts {
  readonly sessionId: string;
  readonly ms: number;
  readonly usage?: Usage | undefined;
  /** The command that goes on with the session, without its prompt. */
  readonly again: string;
}

/**
 * The line below a turn: `session 3f2a9b1c-77aa · 12.4 s · 3,204 in, 512 out · $0.0213 · turnout run --continue "…"`. It has the
 * whole id where there is room, else its beginning. Where the command does not fit beside the rest, it has a row of its own.
 */
export function turnFooter({ sessionId, ms, usage, again }: TurnFacts, columns: number): readonly string[] {
  const facts = [duration(ms), ...(usage === undefined ? [] : used(usage))];
  const command = `${wholeLine(again)} "…"`;
  const [whole, short] = [sessionId, shortId(sessionId)].map((id) =>
    [`session ${shownId(id)}`, ...facts].join(' · '),
  );
  const row = [`${whole} · ${command}`, `${short} · ${command}`].find((one) => widthOf(one) < columns);
  return row === undefined ? [`${short}`, command] : [row];
}

function used({ inputTokens, outputTokens, costUsd = 0 }: Usage): readonly string[] {
  const tokens =
    inputTokens + outputTokens > 0 ? [`${count(inputTokens)} in, ${count(outputTokens)} out`] : [];
  return costUsd > 0 ? [...tokens, cost(costUsd)] : tokens;
}
