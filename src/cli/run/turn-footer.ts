import type { Usage } from '../../core/chat-event.js';
import { cost, count, duration } from '../../core/format.js';
import { columnsOf, plainLine } from '../output/one-row.js';
import { shortId } from '../output/short-id.js';

export interface TurnFacts {
  readonly sessionId: string;
  readonly ms: number;
  readonly usage?: Usage | undefined;
  /** The command that goes on with the session, without its prompt. */
  readonly again: string;
}

/**
 * The line below a turn: `session 3f2a9b1c-77aa · 12.4 s · 3,204 in, 512 out · $0.0213 · turnout run --continue "…"`. It has as much
 * as fits into a row: the whole id or its beginning, with the command or without.
 */
export function turnFooter({ sessionId, ms, usage, again }: TurnFacts, columns: number): string {
  const id = plainLine(sessionId);
  const facts = [duration(ms), ...(usage === undefined ? [] : used(usage))];
  const command = `${plainLine(again)} "…"`;
  const forms = [
    [`session ${id}`, ...facts, command],
    [`session ${shortId(id)}`, ...facts, command],
    [`session ${shortId(id)}`, ...facts],
  ].map((parts) => parts.join(' · '));
  return forms.find((form) => columnsOf(form) < columns) ?? `session ${shortId(id)}`;
}

function used({ inputTokens, outputTokens, costUsd = 0 }: Usage): readonly string[] {
  const tokens =
    inputTokens + outputTokens > 0 ? [`${count(inputTokens)} in, ${count(outputTokens)} out`] : [];
  return costUsd > 0 ? [...tokens, cost(costUsd)] : tokens;
}
