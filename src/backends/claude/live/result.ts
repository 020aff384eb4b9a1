import { notice } from '../../../core/chat-event.js';
import type { TurnEnding } from '../../live/types.js';
import { type Ending, interruptedEnding } from '../../output/ending.js';
import { isObject, type JsonObject } from '../../output/json.js';
import { number, object, text } from '../../output/read-fields.js';
import { stepClaude } from '../decoder.js';
import { addPart, betweenParts } from './parts.js';
import {
  anew,
  type ClaudeLiveState,
  type LiveStep,
  type OurTurn,
  resolved,
  says,
  tellUnprompted,
} from './state.js';

/** Whose result is it, and is it the end of our turn? */
export function stepResult(state: ClaudeLiveState, message: JsonObject, raw: string): LiveStep {
  const total = message['total_cost_usd'];
  const cost = typeof total === 'number' ? total : undefined;
  const before = costSinceLast(message);
  const { turn } = state;
  const idle = { ...state, turn: undefined, cost };
  if (turn === undefined) return [idle, []];
  const answers = answeredBy(message);
  const denied = turn.asked.map((id) => resolved(id, 'deny'));
  const ofItsOwn = isOfItsOwn(message);
  if (!isAnswerTo(turn, answers, ofItsOwn)) {
    if (ofItsOwn && turn.begun && !state.tellsBeginnings)
      return [{ ...idle, turn: anew(state, turn) }, [...denied, notOurs]];
    return [{ ...idle, turn, unprompted: '' }, tellUnprompted(state.unprompted)];
  }
  const costBefore = before === undefined || cost === undefined ? state.cost : cost - before;
  const [decoded, events] = stepClaude(turn.decoded, message, raw, costBefore);
  const last = endingOf(decoded.ending, message, state.limitEnds);
  const waiting = turn.told.filter((id) => !answers.includes(id));
  if (turn.parts === undefined && waiting.length === 0)
    return [idle, [...events.filter(says), ...denied, { type: 'ending', ending: last }]];
  const [parts, told] = addPart(turn.parts, events.filter(says), last);
  if (waiting.length === 0) return [idle, [...told, ...denied, { type: 'ending', ending: parts.ending }]];
  const next = { ...anew(state, turn), told: waiting, parts };
  return [{ ...idle, turn: next }, [...told, ...denied, ...betweenParts(last)]];
}

/** A finished background task, another agent's message: what began the turn was not said by us (2.1.325). */
function isOfItsOwn(message: JsonObject): boolean {
  const kind = text(object(message['origin'])['kind']);
  return kind !== '' && kind !== 'human';
}

const notOurs = notice(
  'warning',
  'What was said so far belongs to a turn that the agent began by itself; the answer is still to come.',
);

/** Both spellings were seen in 2.1.325; older results name no message. */
function answeredBy(message: JsonObject): readonly string[] {
  const { user_message_uuids: listed, user_message_uuid: single } = message;
  const ids: readonly unknown[] = Array.isArray(listed) ? [...listed, single] : [single];
  return ids.filter((id) => typeof id === 'string');
}

function isAnswerTo(turn: OurTurn, answers: readonly string[], ofItsOwn: boolean): boolean {
  if (answers.length > 0) return answers.includes(turn.message);
  return turn.begun && !ofItsOwn;
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

/** What the models cost since the last result: right on the first turn of a resumed session too (2.1.325). */
function costSinceLast(message: JsonObject): number | undefined {
  const models = message['model_usage_since_last_result'];
  if (!isObject(models)) return undefined;
  return Object.values(models).reduce<number>((sum, model) => sum + number(object(model)['costUSD']), 0);
}
