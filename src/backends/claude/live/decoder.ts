import type { PermissionDecision } from '../../../core/chat-event.js';
import type { TurnEnding } from '../../live/types.js';
import { interruptedEnding, unknownLine } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { number, object, objects, text } from '../../output/read-fields.js';
import { stepClaude } from '../decoder.js';
import { stepResult } from './result.js';
import {
  type ClaudeLiveState,
  type LiveStep,
  newTurn,
  type OurTurn,
  resolved,
  says,
  tellUnprompted,
} from './state.js';

/** Our message is on its way. */
export function beginTurn(state: ClaudeLiveState, message: string): LiveStep {
  const turn = newTurn(state, message);
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
      return stepResult(state, message, raw);
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
      return turn.begun ? [known, []] : endTurn(known, interruptedEnding);
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
  if (turn === undefined || !turn.begun) return [overhear(state, message), []];
  const [decoded, events] = stepClaude(turn.decoded, message, raw, undefined);
  return [decoded === turn.decoded ? state : { ...state, turn: { ...turn, decoded } }, events.filter(says)];
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

/**
 * The agent may begin a turn by itself before the first message of a process has got its lifecycle lines. Those come before
 * the `init` line of the message's own turn (2.1.325): a turn that begins without them is not ours.
 */
function learnCapabilities(state: ClaudeLiveState, message: JsonObject): ClaudeLiveState {
  if (state.tellsBeginnings || message['subtype'] !== 'init') return state;
  const { capabilities } = message;
  if (!Array.isArray(capabilities) || !capabilities.includes('msg_lifecycle_v1')) return state;
  return { ...state, tellsBeginnings: true, turn: state.turn && { ...state.turn, begun: false } };
}

function withLimit(state: ClaudeLiveState, message: JsonObject): ClaudeLiveState {
  const info = object(message['rate_limit_info']);
  const ends = new Date(number(info['resetsAt']) * 1000);
  if (info['status'] === 'allowed' || !(ends.getTime() > 0)) return state;
  return { ...state, limitEnds: ends.toISOString() };
}

/** Enough to tell the reader what happened while nobody asked. */
const unpromptedChars = 16 * 1024;

function overhear(state: ClaudeLiveState, message: JsonObject): ClaudeLiveState {
  if (message['type'] !== 'assistant' || message['parent_tool_use_id']) return state;
  const said = objects(object(message['message'])['content'])
    .map((block) => (block['type'] === 'text' ? text(block['text']) : ''))
    .join('');
  if (said === '') return state;
  return { ...state, unprompted: `${state.unprompted}${said}`.slice(0, unpromptedChars) };
}
