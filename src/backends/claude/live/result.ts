import { notice } from '../../../core/chat-event.js';
import type { LiveEvent, TurnEnding } from '../../live/types.js';
import { type Ending, interruptedEnding } from '../../output/ending.js';
import { isObject, type JsonObject } from '../../output/json.js';
import { number, object, text } from '../../output/read-fields.js';
import { stepClaude } from '../decoder.js';
import { addPart, betweenParts } from './parts.js';
import {
  type ClaudeLiveState,
  isNews,
  type LiveStep,
  type OurTurn,
  permissionResolved,
  unpromptedNotices,
  waitForBeginning,
} from './state.js';

/** A `result` line: the end of our turn, of a part of it, or of a turn that the agent began by itself. */
export function stepResult(state: ClaudeLiveState, message: JsonObject, raw: string): LiveStep {
  const total = message['total_cost_usd'];
  const cost = typeof total === 'number' ? total : undefined;
  const { turn } = state;
  const idle = { ...state, turn: undefined, cost };
  if (turn === undefined) return [idle, []];
  const answeredIds = answeredBy(message);
  const denied = turn.openQuestions.map((id) => permissionResolved(id, 'deny'));
  if (!isAnswerTo(turn, message, answeredIds)) {
    if (turn.begun && !state.reportsLifecycle && isOfOwnTurn(message))
      return [{ ...idle, turn: waitForBeginning(state, turn) }, [...denied, notOursNotice]];
    return [{ ...idle, turn, unpromptedText: '' }, unpromptedNotices(state.unpromptedText)];
  }
  const sinceLast = costSinceLast(message);
  const costBefore = sinceLast === undefined || cost === undefined ? state.cost : cost - sinceLast;
  const [decoded, decodedEvents] = stepClaude(turn.decoded, message, raw, costBefore);
  const events: readonly LiveEvent[] = decodedEvents.filter(isNews);
  const ending = endingOf(decoded.ending, message, state.limitEnds);
  const pendingSteers = turn.pendingSteers.filter((id) => !answeredIds.includes(id));
  if (turn.parts === undefined && pendingSteers.length === 0)
    return [idle, [...events, ...denied, { type: 'ending', ending }]];
  const [parts, partEvents] = addPart(turn.parts, events, ending);
  if (pendingSteers.length === 0)
    return [idle, [...partEvents, ...denied, { type: 'ending', ending: parts.ending }]];
  const next = { ...waitForBeginning(state, turn), pendingSteers, parts };
  return [{ ...idle, turn: next }, [...partEvents, ...denied, ...betweenParts(ending)]];
}

const notOursNotice = notice(
  'warning',
  'What was said so far belongs to a turn that the agent began by itself; the answer is still to come.',
);

/** The ids of the messages that the result answers. Both spellings were seen in 2.1.325; older results name no message. */
function answeredBy(message: JsonObject): readonly string[] {
  const { user_message_uuids: listed, user_message_uuid: single } = message;
  const ids: readonly unknown[] = Array.isArray(listed) ? [...listed, single] : [single];
  return ids.filter((id) => typeof id === 'string');
}

function isAnswerTo(turn: OurTurn, message: JsonObject, answeredIds: readonly string[]): boolean {
  if (answeredIds.length > 0) return answeredIds.includes(turn.messageId);
  return turn.begun && !isOfOwnTurn(message);
}

/** True if a finished background task, another agent's message or the like began the turn (2.1.325). */
function isOfOwnTurn(message: JsonObject): boolean {
  const kind = text(object(message['origin'])['kind']);
  return kind !== '' && kind !== 'human';
}

function endingOf(
  ending: Ending | undefined,
  message: JsonObject,
  limitEnds: string | undefined,
): TurnEnding['ending'] {
  if (ending === undefined)
    return { type: 'failed', code: 'unknown', message: 'The turn ended without a result' };
  if (ending.type === 'answered') {
    return ending.text ? ending : { type: 'answered', stopReason: ending.stopReason };
  }
  // aborted_streaming, aborted_tools
  if (text(message['terminal_reason']).startsWith('aborted')) return interruptedEnding;
  if (ending.code !== 'rate_limit' || limitEnds === undefined) return ending;
  return { ...ending, message: `${ending.message} (the limit ends at ${limitEnds})` };
}

/** The models' cost since the last result: right on the first turn of a resumed session too (2.1.325). */
function costSinceLast(message: JsonObject): number | undefined {
  const models = message['model_usage_since_last_result'];
  if (!isObject(models)) return undefined;
  return Object.values(models).reduce<number>((sum, model) => sum + number(object(model)['costUSD']), 0);
}
