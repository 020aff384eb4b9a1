import { notice, type PermissionDecision, type StepEvent } from '../../../core/chat-event.js';
import type { LiveEvent, TurnEnding } from '../../live/types.js';
import { interruptedEnding, unknownLine } from '../../output/ending.js';
import { isObject, type JsonObject } from '../../output/json.js';
import { number, object, objects, text } from '../../output/read-fields.js';
import { geminiFailure, tellsOfFailure } from '../decoder.js';
import { commandOf, toolNameOf } from '../versions.js';
import { alwaysAllowed } from './permissions.js';
import type { GeminiTurnState, GeminiTurnStep, ToolCall } from './state.js';

/** A message about one turn: from the agent, or (`answered`) our answer to a permission request of the agent. */
export type GeminiMessage =
  | { readonly type: 'update'; readonly update: JsonObject; readonly raw: string }
  | { readonly type: 'request'; readonly params: JsonObject }
  | {
      readonly type: 'answered';
      readonly id: string;
      readonly decision: PermissionDecision;
      readonly message?: string | undefined;
    }
  | { readonly type: 'result'; readonly result: JsonObject }
  | { readonly type: 'error'; readonly error: JsonObject };

/** One turn of Gemini over ACP, as a pure step over the messages of its session. Measured with 0.61.0. */
export function stepGeminiTurn(state: GeminiTurnState, message: GeminiMessage): GeminiTurnStep {
  switch (message.type) {
    case 'update':
      return sessionUpdate(state, message.update, message.raw);
    case 'request':
      return permissionRequested(state, message.params);
    case 'answered':
      return permissionAnswered(state, message);
    case 'result':
      return [state, result(state, message.result)];
    case 'error':
      return [state, [failure(message.error)]];
  }
}

/** The id of a permission request is its tool's, so that the tool's start and end have the same. */
export function permissionId(params: JsonObject): string {
  return text(object(params['toolCall'])['toolCallId']);
}

function sessionUpdate(state: GeminiTurnState, body: JsonObject, raw: string): GeminiTurnStep {
  switch (body['sessionUpdate']) {
    case 'agent_message_chunk':
      return messageChunk(state, text(object(body['content'])['text']), raw);
    case 'agent_thought_chunk':
      return [state, thought(text(object(body['content'])['text']))];
    case 'tool_call':
      return [state, [toolStart(text(body['toolCallId']), toolCall(body)), ...toolEnd(body)]];
    case 'tool_call_update':
      return [state, toolEnd(body)];
    // The list of commands; and, while a session is loaded, the user's messages of its history.
    case 'available_commands_update':
    case 'user_message_chunk':
      return [state, []];
    default:
      return [state, [unknownLine('An unknown update', raw)]];
  }
}

/** A change of the mode comes as a message of the agent. */
const modeUpdate = /^\[MODE_UPDATE\] (\w+)$/;

function messageChunk(state: GeminiTurnState, words: string, raw: string): GeminiTurnStep {
  const mode = modeUpdate.exec(words)?.[1];
  if (mode !== undefined) return [state, [notice('info', `Gemini is in its mode "${mode}" now`)]];
  if (words === '') return [state, [unknownLine('A message without text', raw)]];
  return [state.spoke ? state : { ...state, spoke: true }, [{ type: 'text', text: words }]];
}

/** Each update is a thought of its own, in the form `**subject**\ndescription`, where the subject may be empty. */
function thought(words: string): readonly StepEvent[] {
  const shown = words.startsWith('****\n') ? words.slice(5) : words;
  return [{ type: 'thinking_start' }, { type: 'thinking', text: shown }];
}

function permissionRequested(state: GeminiTurnState, params: JsonObject): GeminiTurnStep {
  const id = permissionId(params);
  const call = toolCall(object(params['toolCall']));
  const kinds = new Set(objects(params['options']).map((option) => option['kind']));
  const options: PermissionDecision[] = kinds.has('allow_always')
    ? ['allow', 'allow_always', 'deny']
    : ['allow', 'deny'];
  const { name: tool, input } = call;
  const always = alwaysAllowed(params, tool);
  return [
    { ...state, awaitingPermission: new Map(state.awaitingPermission).set(id, call) },
    [{ type: 'permission_request', id, tool, input, options, ...always, toolId: id }],
  ];
}

/** Gemini sends no other start of an allowed tool, and nothing more about a denied one. */
function permissionAnswered(
  state: GeminiTurnState,
  answer: GeminiMessage & { type: 'answered' },
): GeminiTurnStep {
  const { id, decision, message } = answer;
  const call = state.awaitingPermission.get(id);
  const awaitingPermission = new Map(state.awaitingPermission);
  awaitingPermission.delete(id);
  const events: StepEvent[] = [{ type: 'permission_resolved', id, decision }];
  if (call !== undefined) events.push(toolStart(id, call));
  if (call !== undefined && decision === 'deny') {
    events.push({
      type: 'tool_end',
      id,
      output: message || 'Permission denied',
      isError: true,
      denied: true,
    });
  }
  return [{ ...state, awaitingPermission }, events];
}

function toolStart(id: string, call: ToolCall): StepEvent {
  return { type: 'tool_start', id, name: call.name, input: call.input };
}

/** ACP has neither the name of a tool nor its arguments. */
function toolCall(call: JsonObject): ToolCall {
  const name = toolNameOf(call);
  return { name, input: toolInput(name, call) };
}

function toolInput(name: string, call: JsonObject): JsonObject {
  const title = text(call['title']);
  if (call['kind'] === 'execute') return { command: commandOf(call), ...directoryOf(call) };
  const [diff] = objects(call['content']).filter((part) => part['type'] === 'diff');
  const path = text(diff?.['path']) || text(objects(call['locations'])[0]?.['path']);
  return {
    ...(path === '' ? { description: title } : { file_path: path }),
    ...(diff === undefined ? {} : change(name, diff)),
  };
}

/** The whole file before and after, also where the model gave only a piece of it. A new file has no text before. */
function change(name: string, diff: JsonObject): JsonObject {
  const [before, after] = [text(diff['oldText']), text(diff['newText'])];
  if (name !== 'write_file') return { old_text: before, new_text: after };
  return { content: after, ...(before === '' ? {} : { old_text: before }) };
}

/**
 * A question about a command has its directory in words: `[in src] (description)`, or `[current working directory /work]`.
 * If there is a second bracket, the model may have put it there to hide the directory, and none is told.
 */
function directoryOf(call: JsonObject): JsonObject {
  const words = objects(call['content'])
    .map((part) => text(object(part['content'])['text']))
    .join('');
  const directory = /^\[(?:in|current working directory) ([^[\]]+)\][^\]]*$/.exec(words)?.[1];
  return directory === undefined ? {} : { dir_path: directory };
}

function toolEnd(call: JsonObject): readonly StepEvent[] {
  const status = text(call['status']);
  if (status !== 'completed' && status !== 'failed') return [];
  const output = objects(call['content'])
    .map(outputOf)
    .filter((piece) => piece !== '')
    .join('\n');
  const isError = status === 'failed' || (call['kind'] === 'execute' && tellsOfFailure(output));
  return [{ type: 'tool_end', id: text(call['toolCallId']), output, isError }];
}

function outputOf(part: JsonObject): string {
  if (part['type'] !== 'diff') return text(object(part['content'])['text']);
  const kind = text(object(part['_meta'])['kind']);
  const verb = kind === 'add' ? 'Created' : kind === 'delete' ? 'Emptied' : 'Changed';
  return `${verb} ${text(part['path'])}`;
}

function result(state: GeminiTurnState, body: JsonObject): readonly LiveEvent[] {
  const tokens = object(object(object(body['_meta'])['quota'])['token_count']);
  const usage: readonly LiveEvent[] =
    'input_tokens' in tokens
      ? [
          {
            type: 'usage',
            inputTokens: number(tokens['input_tokens']),
            outputTokens: number(tokens['output_tokens']),
          },
        ]
      : [];
  return [...usage, ...ending(state, text(body['stopReason']))];
}

function ending(state: GeminiTurnState, stopReason: string): readonly LiveEvent[] {
  switch (stopReason) {
    case 'cancelled':
      return [end(interruptedEnding)];
    case 'max_turn_requests':
      return [
        notice('warning', 'Gemini stopped: its turn limit was reached, or it found itself in a loop'),
        end({ type: 'answered', stopReason: 'max_turns' }),
      ];
    case 'max_tokens':
      // Without any text nothing was sent to the model: with this prompt the conversation exceeds its context window.
      if (!state.spoke) {
        return [
          end({ type: 'failed', code: 'bad_request', message: 'The prompt does not fit the context window' }),
        ];
      }
      return [end({ type: 'answered', stopReason })];
    default:
      return [end({ type: 'answered', stopReason: stopReason || 'end_turn' })];
  }
}

/**
 * The code is the HTTP status, but 500 also stands for everything without one (a refused connection, a missing model):
 * then only the message tells.
 */
function failure(error: JsonObject): TurnEnding {
  const code = number(error['code']);
  const details = object(error['data'])['details'];
  const message = text(error['message']) + (typeof details === 'string' ? `: ${details}` : '');
  const status = code === 500 && !isObject(parsed(message)) ? 0 : code;
  // A code below 0 is JSON-RPC's: Gemini itself speaks, not the API.
  const known = geminiFailure({ message: code < 0 ? message : `API Error: ${message}`, code: status });
  return end({ ...known, message: known.message.replace(/^API Error: /, '') });
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

function end(ending: TurnEnding['ending']): TurnEnding {
  return { type: 'ending', ending };
}
