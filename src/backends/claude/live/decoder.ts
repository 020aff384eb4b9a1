import type { PermissionDecision, PermissionRequestEvent } from '../../../core/chat-event.js';
import type { TurnEnding } from '../../live/types.js';
import { interruptedEnding, unknownLine } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { number, object, objects, text } from '../../output/read-fields.js';
import { stepClaude, withDenied } from '../decoder.js';
import { promisesLifecycle } from '../versions.js';
import { alwaysAllowed, isConfirmation, requestedTool } from './permissions.js';
import { stepResult } from './result.js';
import {
  type ClaudeLiveState,
  isNews,
  type LiveStep,
  newTurn,
  type OurTurn,
  permissionResolved,
  unpromptedNotices,
} from './state.js';

/** Our message was sent. */
export function beginTurn(state: ClaudeLiveState, messageId: string): LiveStep {
  const turn = newTurn(state, messageId);
  return [
    { ...state, turn, unpromptedText: '', limitEnds: undefined },
    unpromptedNotices(state.unpromptedText),
  ];
}

/** A message that steers the turn is about to be sent. */
export function addSteer(state: ClaudeLiveState, messageId: string): ClaudeLiveState {
  const { turn } = state;
  if (turn === undefined) return state;
  return { ...state, turn: { ...turn, pendingSteers: [...turn.pendingSteers, messageId] } };
}

/** The turn ends without a result: its message was taken back before it began, or the process is gone. */
export function endTurn(state: ClaudeLiveState, ending: TurnEnding['ending']): LiveStep {
  const { turn } = state;
  if (turn === undefined) return [state, []];
  const denied = turn.openQuestions.map((id) => permissionResolved(id, 'deny'));
  return [{ ...state, turn: undefined }, [...denied, { type: 'ending', ending }]];
}

/** A permission request got its answer. */
export function answerQuestion(state: ClaudeLiveState, id: string, decision: PermissionDecision): LiveStep {
  const { turn } = state;
  if (!turn?.openQuestions.includes(id)) return [state, []];
  const openQuestions = turn.openQuestions.filter((other) => other !== id);
  return [{ ...state, turn: { ...turn, openQuestions } }, [permissionResolved(id, decision)]];
}

/** A tool was denied here: by the caller, by one of its hooks, or by the mode. */
export function denyTool(state: ClaudeLiveState, toolId: string): ClaudeLiveState {
  const { turn } = state;
  return turn === undefined
    ? state
    : { ...state, turn: { ...turn, decoded: withDenied(turn.decoded, toolId) } };
}

/** One line of a live process. */
export function stepLive(state: ClaudeLiveState, message: JsonObject, raw: string): LiveStep {
  switch (message['type']) {
    case 'command_lifecycle':
      return stepLifecycle(state, message);
    case 'result':
      return stepResult(state, message, raw);
    case 'control_request':
      return stepRequest(state, message, raw);
    case 'control_cancel_request':
      return answerQuestion(state, text(message['request_id']), 'deny');
    case 'control_response':
    case 'conversation_reset':
      return [state, []];
    case 'system':
      return stepTurn(withCapabilities(state, message), message, raw);
    case 'rate_limit_event':
      return stepTurn(withRateLimit(state, message), message, raw);
    default:
      return stepTurn(state, message, raw);
  }
}

/** A message may wait behind a turn that the agent began by itself: what comes before it starts is not its answer. */
function stepLifecycle(before: ClaudeLiveState, message: JsonObject): LiveStep {
  const state = before.reportsLifecycle ? before : { ...before, reportsLifecycle: true };
  const { turn } = state;
  const id = text(message['command_uuid']);
  if (turn?.pendingSteers.includes(id)) return stepSteerLifecycle(state, turn, id, message['state']);
  if (turn === undefined || id !== turn.messageId) return [state, []];
  switch (message['state']) {
    case 'queued':
      return [{ ...state, turn: { ...turn, begun: false } }, []];
    case 'started':
      return [{ ...state, turn: { ...turn, begun: true } }, []];
    case 'cancelled':
      // A turn that has begun still gets its result.
      return turn.begun ? [state, []] : endTurn(state, interruptedEnding);
    default:
      return [state, []];
  }
}

/**
 * Claude (2.1.325) takes a steering message up behind the next tool's result, or begins a turn with it when the running one
 * is over.
 */
function stepSteerLifecycle(state: ClaudeLiveState, turn: OurTurn, id: string, reported: unknown): LiveStep {
  if (reported === 'queued') return [state, []];
  const pendingSteers = turn.pendingSteers.filter((other) => other !== id);
  if (turn.begun) return [{ ...state, turn: { ...turn, pendingSteers } }, []];
  if (reported === 'started')
    return [{ ...state, turn: { ...turn, pendingSteers, messageId: id, begun: true } }, []];
  // If the last one is taken back between two turns, the turn ends as it stands.
  if (pendingSteers.length > 0 || turn.parts === undefined)
    return [{ ...state, turn: { ...turn, pendingSteers } }, []];
  return endTurn(state, turn.parts.ending);
}

function stepTurn(state: ClaudeLiveState, message: JsonObject, raw: string): LiveStep {
  const { turn } = state;
  if (!turn?.begun) return [withUnpromptedText(state, message), []];
  const [decoded, events] = stepClaude(turn.decoded, message, raw, undefined);
  return [decoded === turn.decoded ? state : { ...state, turn: { ...turn, decoded } }, events.filter(isNews)];
}

function stepRequest(state: ClaudeLiveState, message: JsonObject, raw: string): LiveStep {
  const { turn } = state;
  const request = object(message['request']);
  const confirmation = isConfirmation(request);
  if (!confirmation && request['subtype'] !== 'can_use_tool')
    return [state, [unknownLine('An unknown request', raw)]];
  const id = text(message['request_id']);
  if (turn === undefined) return [state, []];
  const asked = { type: 'permission_request', id, ...requestedTool(request) } as const;
  const event: PermissionRequestEvent = confirmation
    ? { ...asked, options: ['allow', 'deny'], confirmation: true }
    : { ...asked, options: ['allow', 'allow_always', 'deny'], ...alwaysAllowed(request) };
  return [{ ...state, turn: { ...turn, openQuestions: [...turn.openQuestions, id] } }, [event]];
}

/**
 * The agent may begin a turn by itself before the first message of a process has got its lifecycle lines. Those come before
 * the `init` line of the message's own turn (2.1.325): a turn that begins without them is not ours.
 */
function withCapabilities(state: ClaudeLiveState, message: JsonObject): ClaudeLiveState {
  if (state.reportsLifecycle || message['subtype'] !== 'init') return state;
  if (!promisesLifecycle(message)) return state;
  return { ...state, reportsLifecycle: true, turn: state.turn && { ...state.turn, begun: false } };
}

function withRateLimit(state: ClaudeLiveState, message: JsonObject): ClaudeLiveState {
  const info = object(message['rate_limit_info']);
  const ends = new Date(number(info['resetsAt']) * 1000);
  if (info['status'] === 'allowed' || !(ends.getTime() > 0)) return state;
  return { ...state, limitEnds: ends.toISOString() };
}

/** Enough to tell the reader what happened between the turns. */
const maxUnpromptedChars = 16 * 1024;

function withUnpromptedText(state: ClaudeLiveState, message: JsonObject): ClaudeLiveState {
  if (message['type'] !== 'assistant' || message['parent_tool_use_id']) return state;
  const added = objects(object(message['message'])['content'])
    .map((block) => (block['type'] === 'text' ? text(block['text']) : ''))
    .join('');
  if (added === '') return state;
  return { ...state, unpromptedText: `${state.unpromptedText}${added}`.slice(0, maxUnpromptedChars) };
}
