import { notice, type StepEvent } from '../../../core/chat-event.js';
import { unknownLine } from '../../output/ending.js';
import { isObject, type JsonObject } from '../../output/json.js';
import { number, object, text } from '../../output/read-fields.js';
import { untilMs } from '../../output/retry-after.js';
import { addStep, type StepContext, toolEnd } from '../decoder.js';
import { errorEnding } from '../failure.js';
import { openCodeRetry } from '../retries.js';
import { alwaysAllowed } from './permissions.js';
import {
  allSteersAnswered,
  endTurn,
  type OpenCodeTurnState,
  type OpenCodeTurnStep,
  type StreamedPart,
  type ToolCall,
} from './state.js';

/** One turn of `opencode serve`, as a pure step over the events of its session and its subagents. Measured with 1.18.33. */
export function stepOpenCodeTurn(state: OpenCodeTurnState, event: JsonObject, raw: string): OpenCodeTurnStep {
  if (state.ended) return [state, []];
  const properties = object(event['properties']);
  const type = text(event['type']);
  if (type === 'permission.asked') return permissionAsked(state, properties);
  if (type === 'permission.replied') return permissionReplied(state, properties);
  if (text(properties['sessionID']) !== state.sessionId) return subagentEvent(state, type, properties);
  switch (type) {
    case 'message.updated':
      return messageUpdated(state, object(properties['info']));
    case 'message.part.updated':
      return partUpdated(state, object(properties['part']), raw);
    case 'message.part.delta':
      return partDelta(state, properties);
    case 'session.status':
      return sessionStatus(state, object(properties['status']));
    case 'session.idle':
      return sessionIdle(state);
    case 'session.error':
      return [{ ...state, failure: errorEnding(object(properties['error'])) }, []];
    case 'session.compacted':
      return [state, [notice('info', 'OpenCode has summarised the conversation to make room.')]];
    case 'question.asked':
      return [state, [notice('warning', 'OpenCode asked a question that nobody can answer here.', raw)]];
    default:
      return [state, ignoredTypes.test(type) ? [] : [unknownLine('An unknown event', raw)]];
  }
}

/** Events that no turn needs: they are for OpenCode's own user interface, or about the server. */
const ignoredTypes =
  /^(session\.(created|updated|deleted|diff|next\.)|message\.(removed|part\.removed)|todo\.|file\.|lsp\.|mcp\.|project\.|plugin\.|server\.|installation\.|catalog\.|integration\.|reference\.|models-dev\.|vcs\.|command\.|pty\.|tui\.|workspace\.|worktree\.|question\.(replied|rejected|v2)|permission\.v2)/;

function messageUpdated(state: OpenCodeTurnState, info: JsonObject): OpenCodeTurnStep {
  const id = text(info['id']);
  if (id === state.promptId) return promptUpdated(state, info);
  if (info['role'] !== 'assistant' || id <= state.promptId) return [state, []];
  const complete = number(object(info['time'])['completed']) > 0;
  const isNew = !state.replies.has(id);
  const summary = info['summary'] === true;
  const error = info['error'];
  const parent = text(info['parentID']);
  const answering = state.steers.has(parent) ? parent : state.answering;
  // The text before was a complete answer when the turn was steered.
  const newAnswer = answering !== state.answering && state.spoke;
  const next: OpenCodeTurnState = {
    ...state,
    started: true,
    idle: isNew ? false : state.idle,
    answering,
    spoke: newAnswer ? false : state.spoke,
    replies: isNew || complete ? new Map(state.replies).set(id, complete) : state.replies,
    summaries: summary && isNew ? new Set(state.summaries).add(id) : state.summaries,
    finish: summary ? state.finish : text(info['finish']),
    // A turn that goes on after an error (a compaction, for one) has got over it.
    failure: error === undefined ? (isNew ? undefined : state.failure) : errorEnding(object(error)),
  };
  return [next, newAnswer ? [{ type: 'text', text: '\n\n' }] : []];
}

function promptUpdated(state: OpenCodeTurnState, info: JsonObject): OpenCodeTurnStep {
  if (state.promptSeen) return [state, []];
  const { providerID, modelID } = object(info['model']);
  const model = text(modelID) === '' ? {} : { model: `${text(providerID)}/${text(modelID)}` };
  return [
    { ...state, promptSeen: true },
    [{ type: 'session', sessionId: state.sessionId, backend: 'opencode', ...model }],
  ];
}

function partUpdated(state: OpenCodeTurnState, found: JsonObject, raw: string): OpenCodeTurnStep {
  const id = text(found['id']);
  const messageId = text(found['messageID']);
  if (!state.replies.has(messageId) || state.done.has(id)) return [state, []];
  switch (found['type']) {
    case 'text':
      return state.summaries.has(messageId) ? [state, []] : textPart(state, id, 'text', found);
    case 'reasoning':
      return textPart(state, id, 'thinking', found);
    case 'tool':
      return toolPart(state, id, found);
    case 'step-finish':
      // The summary of a conversation takes its place: the next step tells how long it is.
      return stepFinish(state, id, found, state.summaries.has(messageId) ? 'unknown' : 'own');
    case 'step-start':
    case 'snapshot':
    case 'patch':
    case 'agent':
    case 'retry':
    case 'compaction':
    case 'subtask':
    case 'file':
      return [state, []];
    default:
      return [state, [unknownLine('An unknown part of a message', raw)]];
  }
}

/** The part as it is now: a text that began, or the whole of one that ended. What came in pieces is not told again. */
function textPart(
  state: OpenCodeTurnState,
  id: string,
  type: StreamedPart['type'],
  found: JsonObject,
): OpenCodeTurnStep {
  const known = state.streams.get(id);
  const now = text(found['text']);
  const sent = known?.sent ?? 0;
  const begin: readonly StepEvent[] =
    type === 'thinking' && known === undefined ? [{ type: 'thinking_start' }] : [];
  const events = now.length > sent ? [...begin, { type, text: now.slice(sent) }] : begin;
  const streams = new Map(state.streams);
  const spoke = state.spoke || (type === 'text' && now !== '');
  if (number(object(found['time'])['end']) > 0) {
    streams.delete(id);
    return [{ ...state, spoke, streams, done: new Set(state.done).add(id) }, events];
  }
  streams.set(id, { type, sent: Math.max(sent, now.length), hasGap: known?.hasGap ?? false });
  return [{ ...state, spoke, streams }, events];
}

/** A delta of an unknown part is left out: reasoning, too, comes in a field `text`. */
function partDelta(state: OpenCodeTurnState, properties: JsonObject): OpenCodeTurnStep {
  const id = text(properties['partID']);
  const stream = state.streams.get(id);
  const piece = text(properties['delta']);
  if (stream === undefined || stream.hasGap || properties['field'] !== 'text' || piece === '')
    return [state, []];
  const streams = new Map(state.streams).set(id, { ...stream, sent: stream.sent + piece.length });
  const spoke = state.spoke || stream.type === 'text';
  return [{ ...state, spoke, streams }, [{ type: stream.type, text: piece }]];
}

function toolPart(state: OpenCodeTurnState, partId: string, found: JsonObject): OpenCodeTurnStep {
  const facts = object(found['state']);
  const status = text(facts['status']);
  const call = state.tools.get(partId) ?? newToolCall(state, partId, found);
  const tools = new Map(state.tools).set(partId, call);
  if (status === 'pending') return [{ ...state, tools }, []];
  const begun = call.input !== undefined;
  const input = begun ? call.input : (facts['input'] ?? {});
  const [started, events] = begun
    ? ([{ ...state, tools }, []] as const)
    : toolBegins({ ...state, tools }, partId, { ...call, input });
  if (status !== 'completed' && status !== 'error') return [started, events];
  const rest = new Map(started.tools);
  rest.delete(partId);
  return [
    { ...started, tools: rest, done: new Set(started.done).add(partId) },
    [...events, toolEnd(call.id, facts)],
  ];
}

function newToolCall(state: OpenCodeTurnState, partId: string, found: JsonObject): ToolCall {
  const callId = text(found['callID']) || partId;
  // Some models count their calls from 0 in each step.
  const taken = state.done.has(callId) || [...state.tools.values()].some((other) => other.id === callId);
  return { id: taken ? partId : callId, callId, name: text(found['tool']) };
}

function toolBegins(state: OpenCodeTurnState, partId: string, call: ToolCall): OpenCodeTurnStep {
  const start: StepEvent = { type: 'tool_start', id: call.id, name: call.name, input: call.input };
  const next = {
    ...state,
    spoke: false,
    tools: new Map(state.tools).set(partId, call),
    done: new Set(state.done).add(call.id),
  };
  const request = state.heldRequests.get(call.callId);
  if (request === undefined) return [next, [start]];
  const heldRequests = new Map(state.heldRequests);
  heldRequests.delete(call.callId);
  const [after, events] = permissionRequest({ ...next, heldRequests }, request, call);
  return [after, [start, ...events]];
}

function stepFinish(
  state: OpenCodeTurnState,
  id: string,
  found: JsonObject,
  context: StepContext,
): OpenCodeTurnStep {
  const usage = addStep(state.usage, found, context);
  return [{ ...state, usage, done: new Set(state.done).add(id) }, [{ type: 'usage', ...usage }]];
}

function sessionStatus(state: OpenCodeTurnState, now: JsonObject): OpenCodeTurnStep {
  switch (now['type']) {
    case 'busy':
      return [{ ...state, idle: false, started: state.started || state.promptSeen }, []];
    case 'idle':
      return sessionIdle(state);
    case 'retry':
      return [state, [retryNotice(now)]];
    default:
      return [state, []];
  }
}

/** An abort and an error give two `idle`s, and the first comes before the last words of the reply. */
function sessionIdle(state: OpenCodeTurnState): OpenCodeTurnStep {
  const unfinished = [...state.replies.values()].includes(false);
  if (!state.started || unfinished) return [state, []];
  return allSteersAnswered(state) ? endTurn(state) : [{ ...state, idle: true }, []];
}

function retryNotice(now: JsonObject): StepEvent {
  // The one place where a decoder needs the clock: OpenCode tells the time of the retry, not how long it waits.
  const delayMs = untilMs(number(now['next']), Date.now());
  return openCodeRetry(number(now['attempt']), text(now['message']), delayMs);
}

/** A request comes a moment before its tool has its input, so it is held until then. */
function permissionAsked(state: OpenCodeTurnState, request: JsonObject): OpenCodeTurnStep {
  const id = text(request['id']);
  if (id === '' || state.permissionRequests.has(id)) return [state, []];
  const callId = text(object(request['tool'])['callID']);
  const call = [...state.tools.values()].find((candidate) => candidate.callId === callId);
  if (call !== undefined && call.input === undefined) {
    return [{ ...state, heldRequests: new Map(state.heldRequests).set(callId, request) }, []];
  }
  return permissionRequest(state, request, call);
}

function permissionRequest(
  state: OpenCodeTurnState,
  request: JsonObject,
  call: ToolCall | undefined,
): OpenCodeTurnStep {
  const id = text(request['id']);
  const permission = text(request['permission']);
  // `edit` is the permission of several tools; others (`external_directory`) are about more than their tool.
  const ofTool = call !== undefined && (permission === call.name || permission === 'edit');
  const metadata = object(request['metadata']);
  const ofItself = permission === 'edit' ? withDiff(call?.input, metadata) : call?.input;
  const input = ofTool ? ofItself : { ...metadata, patterns: request['patterns'] ?? [] };
  const always = Array.isArray(request['always']) && request['always'].length > 0;
  return [
    { ...state, permissionRequests: new Set(state.permissionRequests).add(id) },
    [
      {
        type: 'permission_request',
        id,
        tool: ofTool ? call.name : permission,
        input,
        options: always ? ['allow', 'allow_always', 'deny'] : ['allow', 'deny'],
        ...alwaysAllowed(request),
        ...(call === undefined ? {} : { toolId: call.id }),
      },
    ],
  ];
}

/** The change as OpenCode has computed it; fields of that name in the model's own input are not believed. */
function withDiff(input: unknown, metadata: JsonObject): unknown {
  if (!isObject(input)) return input;
  const { diff: _diff, files: _files, ...rest } = input;
  const { diff, files } = metadata;
  return { ...rest, ...(diff === undefined ? {} : { diff }), ...(files === undefined ? {} : { files }) };
}

const decisions = { once: 'allow', always: 'allow_always', reject: 'deny' } as const;

function permissionReplied(state: OpenCodeTurnState, properties: JsonObject): OpenCodeTurnStep {
  const id = text(properties['requestID']);
  if (!state.permissionRequests.has(id)) return [state, []];
  const permissionRequests = new Set(state.permissionRequests);
  permissionRequests.delete(id);
  const decision = decisions[text(properties['reply']) as keyof typeof decisions] ?? 'deny';
  return [{ ...state, permissionRequests }, [{ type: 'permission_resolved', id, decision }]];
}

/** Of a subagent's session only the usage and the retries are told. */
function subagentEvent(state: OpenCodeTurnState, type: string, properties: JsonObject): OpenCodeTurnStep {
  const found = object(properties['part']);
  if (type === 'message.part.updated' && found['type'] === 'step-finish') {
    const id = text(found['id']);
    const ours = text(found['messageID']) > state.promptId && !state.done.has(id);
    return ours ? stepFinish(state, id, found, 'other') : [state, []];
  }
  const now = object(properties['status']);
  return [state, type === 'session.status' && now['type'] === 'retry' ? [retryNotice(now)] : []];
}
