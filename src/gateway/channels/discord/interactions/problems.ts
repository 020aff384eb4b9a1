import { TurnoutError } from '../../../../core/errors.js';
import { DiscordProblem } from '../discord-api.js';

/** True if Discord takes this never: the channel or the message is gone, the bot may not write there, or a rule forbids the text. */
export function isFinal(error: unknown): boolean {
  if (!(error instanceof DiscordProblem) || error.status === undefined) return false;
  return error.status === 400 || error.status === 403 || error.status === 404;
}

/** True if the interaction can't be answered any more: its token has run out, or it was answered too late. */
export function isOver(error: unknown): boolean {
  return error instanceof DiscordProblem && overCodes.has(error.code ?? 0);
}

/** Unknown webhook, message, interaction; invalid token. */
const overCodes = new Set([10015, 10008, 10062, 50027]);

/** True if the interaction was answered before: Discord has told it twice. */
export function isAnswered(error: unknown): boolean {
  return error instanceof DiscordProblem && error.code === 40060;
}

export function explain(error: unknown): string {
  if (error instanceof TurnoutError) return error.explanation;
  return 'Something went wrong here, and nothing was done. The gateway’s log says more.';
}
