import { notice, type PermissionDecision } from '../../core/chat-event.js';
import type { LiveEvent, TurnEnding } from '../live/types.js';
import { type Ending, unknownLine } from '../one-shot/decoder.js';
import { isObject, type JsonObject } from '../one-shot/json-lines.js';
import { number, object, objects, text } from '../one-shot/read-fields.js';
import { type ClaudeState, claudeDecoder, stepClaude } from './decoder.js';
import { addPart, betweenParts, type Parts } from './live-parts.js';

/** What is known of a live process's session. Turns that nobody asked for are kept apart from ours. */
export interface ClaudeLiveState {
  readonly turn: OurTurn | undefined;
  /** The session's cost so far, where it is known. */
  readonly cost: number | undefined;
  /** Does this version tell where a message's turn begins? (2.1.325 does, older ones don't.) */
  readonly tellsBeginnings: boolean;
  /** The agent is in a turn of its own, which a finished background task or a timer started. */
  readonly busy: boolean;
  /** What it said in such a turn. */
  readonly unprompted: string;
  /** When a reached rate limit is over. */
  readonly limitEnds: string | undefined;
}

export interface OurTurn {
  /** The id that our message carries; without one the next turn is taken for its answer. */
  readonly message: string | undefined;
  readonly begun: boolean;
  readonly decoded: ClaudeState;
  /** Permission requests without an answer. */
  readonly asked: readonly string[];
  /** Messages that were said into the turn and that Claude has not taken up yet. */
  readonly told: readonly string[];
  /** What has come so far, when Claude ended a turn of its own before it took them up. */
  readonly parts: Parts | undefined;
  /** How the agent ended a turn of its own since a message without an id was sent. It may have taken it up there. */
  readonly passed: TurnEnding['ending'] | undefined;
}

export type LiveStep = readonly [state: ClaudeLiveState, events: readonly LiveEvent[]];

/** `cost`: what the session has cost before, 0 for a new one. */
export function liveState(cost: number | undefined): ClaudeLiveState {
  return { turn: undefined, cost, tellsBeginnings: false, busy: false, unprompted: '', limitEnds: undefined };
}

/** Our message is on its way. */
export function beginTurn(state: ClaudeLiveState, message: string | undefined): LiveStep {
  const turn = {
    message,
    begun: !state.tellsBeginnings,
    decoded: decoder.initial,
    asked: [],
    told: [],
    parts: undefined,
    passed: undefined,
  };
  return [{ ...state, turn, unprompted: '', limitEnds: undefined }, tellUnprompted(state.unprompted)];
}

/** A message is about to be said into the turn. */
export function tellTurn(state: ClaudeLiveState, message: string): ClaudeLiveState {
  const { turn } = state;
  return turn === undefined ? state : { ...state, turn: { ...turn, told: [...turn.told, message] } };
}

/** The turn ends without the CLI saying so: it was taken back before it began, or the process is gone. */
export function endTurn(state: ClaudeLiveState, ending: TurnEnding['ending']): LiveStep {
  const { turn } = state;
  if (turn === undefined) return [state, []];
  return [
    { ...state, turn: undefined },
    [...turn.asked.map((id) => resolved(id, 'deny')), { type: 'ending', ending }],
  ];
}

/**
 * Time has passed since the agent ended a turn of its own. If our message has not begun by now, it never will: behind a
 * tool's result Claude (2.1.325) puts a message that waits into the running turn, also into one of its own, whose result
 * does not name a message without an id.
 */
export function endPassed(state: ClaudeLiveState): LiveStep {
  const { turn } = state;
  if (turn?.passed === undefined || turn.begun || turn.told.length > 0) return [state, []];
  const [ended, events] = endTurn(state, turn.passed);
  return [ended, [takenUp, ...events]];
}

/** A permission request got its answer. */
export function answerAsked(state: ClaudeLiveState, id: string, decision: PermissionDecision): LiveStep {
  const { turn } = state;
  if (!turn?.asked.includes(id)) return [state, []];
  const asked = turn.asked.filter((other) => other !== id);
  return [{ ...state, turn: { ...turn, asked } }, [resolved(id, decision)]];
}

export function stepLive(state: ClaudeLiveState, message: JsonObject, raw: string): LiveStep {
  switch (message['type']) {
    case 'command_lifecycle':
      return lifecycle(state, message);
    case 'result':
      return result(state, message, raw);
    case 'control_request':
      return controlRequest(state, message, raw);
    case 'control_cancel_request':
      return answerAsked(state, text(message['request_id']), 'deny');
    case 'control_response':
    case 'conversation_reset':
      return [state, []];
    case 'system':
      return ours(learnCapabilities(state, message), message, raw);
    case 'rate_limit_event':
      return ours(withLimit(state, message), message, raw);
    default:
      return ours(state, message, raw);
  }
}

const decoder = claudeDecoder(undefined);
export const interrupted: TurnEnding['ending'] = {
  type: 'failed',
  code: 'interrupted',
  message: 'Interrupted',
};

/** A message may wait behind a turn that the agent began by itself: what comes before it starts is not its answer. */
function lifecycle(state: ClaudeLiveState, message: JsonObject): LiveStep {
  const known = state.tellsBeginnings ? state : { ...state, tellsBeginnings: true };
  const { turn } = known;
  const id = text(message['command_uuid']);
  if (turn?.told.includes(id)) return toldLifecycle(known, turn, id, message['state']);
  if (turn === undefined || id !== turn.message) return [known, []];
  switch (message['state']) {
    case 'queued':
      return [{ ...known, turn: { ...turn, begun: false } }, []];
    case 'started':
      return [{ ...known, turn: { ...turn, begun: true } }, []];
    case 'cancelled':
      // One that has begun still gets its result.
      return turn.begun ? [known, []] : endTurn(known, interrupted);
    default:
      return [known, []];
  }
}

/** Claude (2.1.325) takes a message up behind the next tool's result, or begins a turn with it when this one is over. */
function toldLifecycle(state: ClaudeLiveState, turn: OurTurn, id: string, now: unknown): LiveStep {
  if (now === 'queued') return [state, []];
  const told = turn.told.filter((other) => other !== id);
  if (turn.begun) return [{ ...state, turn: { ...turn, told } }, []];
  if (now === 'started') return [{ ...state, turn: { ...turn, told, message: id, begun: true } }, []];
  // Taken back between two turns: then the first one was all.
  if (told.length > 0 || turn.parts === undefined) return [{ ...state, turn: { ...turn, told } }, []];
  return endTurn(state, turn.parts.ending);
}

function ours(state: ClaudeLiveState, message: JsonObject, raw: string): LiveStep {
  const { turn } = state;
  if (turn === undefined || !(turn.begun || beginsWith(turn, message))) return [overhear(state, message), []];
  const [decoded, events] = stepClaude(turn.decoded, message, raw, undefined);
  return [
    decoded === turn.decoded ? state : { ...state, turn: { ...turn, begun: true, decoded } },
    events.filter(says),
  ];
}

/** A message without an id is taken up in the next turn. */
function beginsWith(turn: OurTurn, message: JsonObject): boolean {
  return turn.message === undefined && turn.parts === undefined && message['subtype'] === 'init';
}

function result(state: ClaudeLiveState, message: JsonObject, raw: string): LiveStep {
  const total = message['total_cost_usd'];
  const cost = typeof total === 'number' ? total : undefined;
  const before = costSinceLast(message);
  const { turn } = state;
  const idle = { ...state, turn: undefined, busy: false, cost };
  if (turn === undefined) return [idle, []];
  const answers = answeredBy(message);
  const denied = turn.asked.map((id) => resolved(id, 'deny'));
  const ofItsOwn = isOfItsOwn(message);
  if (!isAnswerTo(turn, answers, ofItsOwn)) {
    if (turn.begun && ofItsOwn) {
      const passed = turn.message === undefined ? passedBy(state, turn, message, raw) : undefined;
      return [{ ...idle, turn: { ...anew(turn), passed } }, [...denied, notOurs]];
    }
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
  const next = { ...anew(turn), told: waiting, parts };
  return [{ ...idle, turn: next }, [...told, ...denied, ...betweenParts(last)]];
}

/** A finished background task, another agent's message: what began the turn was not said by us (2.1.325). */
function isOfItsOwn(message: JsonObject): boolean {
  const kind = text(object(message['origin'])['kind']);
  return kind !== '' && kind !== 'human';
}

function passedBy(
  state: ClaudeLiveState,
  turn: OurTurn,
  message: JsonObject,
  raw: string,
): TurnEnding['ending'] {
  const [{ ending }] = stepClaude(turn.decoded, message, raw, undefined);
  return endingOf(ending, message, state.limitEnds);
}

/** Our message has not been taken up yet. */
function anew(turn: OurTurn): OurTurn {
  return { ...turn, begun: false, decoded: decoder.initial, asked: [] };
}

const notOurs = notice(
  'warning',
  'What was said so far belongs to a turn that the agent began by itself; the answer is still to come.',
);

const takenUp = notice(
  'warning',
  'The message got no turn of its own: the agent took it up in the one that it had begun by itself.',
);

/** Both spellings were seen in 2.1.325; older results name no message. */
function answeredBy(message: JsonObject): readonly string[] {
  const { user_message_uuids: listed, user_message_uuid: single } = message;
  const ids: readonly unknown[] = Array.isArray(listed) ? [...listed, single] : [single];
  return ids.filter((id) => typeof id === 'string');
}

function isAnswerTo(
  { message, begun, parts }: OurTurn,
  answers: readonly string[],
  ofItsOwn: boolean,
): boolean {
  if (message !== undefined && answers.includes(message)) return true;
  if (ofItsOwn || (message !== undefined && answers.length > 0)) return false;
  // A failure may come before the turn's first line. Between two parts it is the next one's, which has an id.
  return begun || (message === undefined && parts === undefined);
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
  if (text(message['terminal_reason']).startsWith('aborted')) return interrupted;
  if (ending.code !== 'rate_limit' || limitEnds === undefined) return ending;
  return { ...ending, message: `${ending.message} (the limit ends at ${limitEnds})` };
}

/** What the models cost since the last result: right on the first turn of a resumed session too (2.1.325). */
function costSinceLast(message: JsonObject): number | undefined {
  const models = message['model_usage_since_last_result'];
  if (!isObject(models)) return undefined;
  return Object.values(models).reduce<number>((sum, model) => sum + number(object(model)['costUSD']), 0);
}

function controlRequest(state: ClaudeLiveState, message: JsonObject, raw: string): LiveStep {
  const { turn } = state;
  const request = object(message['request']);
  if (request['subtype'] === 'hook_callback') return [state, []];
  if (request['subtype'] !== 'can_use_tool') return [state, [unknownLine('An unknown request', raw)]];
  const id = text(message['request_id']);
  if (turn === undefined) return [state, []];
  const event = {
    type: 'permission_request',
    id,
    tool: text(request['tool_name']),
    input: request['input'] ?? {},
    options: ['allow', 'allow_always', 'deny'],
  } as const;
  return [{ ...state, turn: { ...turn, asked: [...turn.asked, id] } }, [event]];
}

/** Steering a turn needs it before a message with an id has shown it. */
function learnCapabilities(state: ClaudeLiveState, message: JsonObject): ClaudeLiveState {
  if (state.tellsBeginnings || message['subtype'] !== 'init') return state;
  const { capabilities } = message;
  const tellsBeginnings = Array.isArray(capabilities) && capabilities.includes('msg_lifecycle_v1');
  return tellsBeginnings ? { ...state, tellsBeginnings } : state;
}

function withLimit(state: ClaudeLiveState, message: JsonObject): ClaudeLiveState {
  const info = object(message['rate_limit_info']);
  const ends = new Date(number(info['resetsAt']) * 1000);
  if (info['status'] === 'allowed' || !(ends.getTime() > 0)) return state;
  return { ...state, limitEnds: ends.toISOString() };
}

/** Enough to tell the reader what happened while nobody asked. */
const unpromptedChars = 16 * 1024;

function overhear(before: ClaudeLiveState, message: JsonObject): ClaudeLiveState {
  const state = message['subtype'] === 'init' ? { ...before, busy: true } : before;
  if (message['type'] !== 'assistant' || message['parent_tool_use_id']) return state;
  const said = objects(object(message['message'])['content'])
    .map((block) => (block['type'] === 'text' ? text(block['text']) : ''))
    .join('');
  if (said === '') return state;
  return { ...state, unprompted: `${state.unprompted}${said}`.slice(0, unpromptedChars) };
}

function tellUnprompted(said: string): readonly LiveEvent[] {
  if (said === '') return [];
  return [notice('info', `Between the turns the agent went on by itself and said: ${said}`)];
}

function resolved(id: string, decision: PermissionDecision): LiveEvent {
  return { type: 'permission_resolved', id, decision };
}

/** The shared decoder gives an empty piece where a block brings nothing new. */
function says(event: LiveEvent): boolean {
  return !((event.type === 'text' || event.type === 'thinking') && event.text === '');
}
