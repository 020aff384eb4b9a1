import { type ErrorCode, notice, type StepEvent, type Usage } from '../../core/chat-event.js';
import type { Step, TurnFacts, WireDecoder } from '../one-shot/decoder.js';
import { classifyFailure } from '../output/classify-failure.js';
import { type Ending, unknownLine } from '../output/ending.js';
import { isObject, type JsonObject } from '../output/json.js';
import { number, object, objects, text } from '../output/read-fields.js';
import { retryNotice } from '../output/retries.js';
import { type Call, contextOf, startCall, updateCall } from './context.js';
import { readKnownLine } from './known-lines.js';
import { contentText, isDeniedByRule } from './record-entries.js';
import { costOfEarlierRuns, shownVersion } from './versions.js';

export interface ClaudeState extends TurnFacts {
  /** The name of the agent that speaks: the demo agent has the same protocol. */
  readonly label: string;
  /** The deltas of the content block that is being written, until the whole block is printed. */
  readonly streamedText: Streamed;
  readonly streamedThinking: Streamed;
  /** Text has come since the last tool. Plain JSON output has the answer in its result only. */
  readonly textCame: boolean;
  /** The text of a broken stream, which Claude then writes again from the start: it is not shown twice. */
  readonly repeating: Repeating | undefined;
  /** The user stopped the turn: the message that breaks off then was not lost on the way. */
  readonly interrupted: boolean;
  /** The reason of an API error; the message that carries it is no answer of the agent. */
  readonly apiError: string | undefined;
  /** When a reached rate limit is over, in ms since 1970. */
  readonly limitEnds: number | undefined;
  /** The ids of tools that a rule or a mode has denied, until their results come. */
  readonly denied: readonly string[];
  /** Commands and agents that run in the background: `claude -p` stays for them after its result (2.1.325). */
  readonly background: number;
  /** Claude went on after a result, as it does when something in the background has ended. */
  readonly wentOnAfterResult: boolean;
  /** The model that the session is set to. */
  readonly model: string | undefined;
  /** The agent's last model call: what it read and wrote is its context. */
  readonly call: Call | undefined;
}

/** The length of a block's deltas, and their beginning: enough to recognise the block without keeping it. */
interface Streamed {
  readonly head: string;
  readonly chars: number;
}

interface Repeating {
  readonly shown: string;
  readonly matched: number;
}

const nothing: Streamed = { head: '', chars: 0 };
const headChars = 4096;

export const claudeLabel = 'Claude';

/** All fields are there from the start: objects of one shape are read faster. */
const initial: ClaudeState = {
  label: claudeLabel,
  sessionId: undefined,
  ending: undefined,
  version: undefined,
  streamedText: nothing,
  streamedThinking: nothing,
  textCame: false,
  repeating: undefined,
  interrupted: false,
  apiError: undefined,
  limitEnds: undefined,
  denied: [],
  background: 0,
  wentOnAfterResult: false,
  model: undefined,
  call: undefined,
};

/**
 * Claude's `json` (object, array) and `stream-json` output, with and without partial messages. Its cost runs on
 * over a session: `costBefore` is what it was before this turn, where that is known. `version` counts until the output
 * shows one.
 */
export function claudeDecoder(
  costBefore: number | undefined,
  version?: string | undefined,
  label = claudeLabel,
): WireDecoder<ClaudeState> {
  return {
    initial: { ...initial, label },
    readKnownLine,
    goesOn: (state) => state.background > 0 || state.wentOnAfterResult,
    step: (state, line, raw) =>
      stepClaude(state, line, raw, costOfEarlierRuns(costBefore, state.version ?? version, line)),
  };
}

/** One line of Claude's output. */
export function stepClaude(
  before: ClaudeState,
  line: JsonObject,
  raw: string,
  costBefore: number | undefined,
): Step<ClaudeState> {
  const state = goesOnAfterResult(before, line) ? { ...before, wentOnAfterResult: true } : before;
  switch (line['type']) {
    case 'system':
      return system(state, line, raw);
    case 'stream_event':
      return line['parent_tool_use_id'] ? [state, []] : streamEvent(state, line);
    case 'assistant':
      return assistant(state, line);
    case 'user':
      return toolResults(isInterrupt(line) ? { ...state, interrupted: true } : state, line);
    case 'result':
      return result(state, line, costBefore);
    case 'rate_limit_event':
      return rateLimit(state, line);
    case 'keep_alive':
    case 'tool_progress':
      return [state, []];
    default:
      return [state, [unknownLine('An unknown event', raw)]];
  }
}

function goesOnAfterResult(state: ClaudeState, line: JsonObject): boolean {
  if (state.ending === undefined || state.wentOnAfterResult) return false;
  return line['subtype'] === 'init' || line['type'] === 'assistant' || line['type'] === 'stream_event';
}

function system(state: ClaudeState, line: JsonObject, raw: string): Step<ClaudeState> {
  switch (line['subtype']) {
    case 'init': {
      const sessionId = text(line['session_id']);
      if (sessionId === '') return [state, [unknownLine('An init event without a session id', raw)]];
      const model = text(line['model']);
      const keySource = text(line['apiKeySource']);
      const event = {
        type: 'session',
        sessionId,
        backend: 'claude',
        ...(model === '' ? {} : { model }),
        ...(keySource === '' ? {} : { keySource }),
      } as const;
      const version = shownVersion(line);
      return [{ ...state, sessionId, version, model }, [event, ...failedServers(line)]];
    }
    case 'api_retry':
      return [state, [apiRetry(line, state.label)]];
    case 'permission_denied':
      return [
        withDenied(state, text(line['tool_use_id'])),
        [notice('warning', `Permission denied: ${text(line['tool_name']) || 'a tool'}`, raw)],
      ];
    case 'background_tasks_changed':
      return [{ ...state, background: objects(line['tasks']).length }, []];
    case 'compact_boundary':
      // The next call tells how much is left of the context.
      return [{ ...state, call: undefined }, [notice('info', 'The conversation was compacted')]];
    default:
      // status, thinking_tokens, hook_started, task_… : progress of the CLI itself, more of it in each version.
      return [state, []];
  }
}

/** Claude goes on without an MCP server that could not start, or that wants a sign-in. */
function failedServers(line: JsonObject): readonly StepEvent[] {
  return objects(line['mcp_servers']).flatMap(({ name, status }) => {
    if (status === 'failed') return notice('warning', `The MCP server ${text(name)} could not start`);
    if (status === 'needs-auth') return notice('warning', `The MCP server ${text(name)} needs a sign-in`);
    return [];
  });
}

/** Claude tells the status and a name of the error, but not what the API said. */
function apiRetry(line: JsonObject, label: string): StepEvent {
  const status = number(line['error_status']);
  const name = text(line['error']);
  const code = status > 0 ? classifyFailure(name, status) : (apiErrorCodes.get(name) ?? 'network');
  return retryNotice(label, {
    attempt: number(line['attempt']),
    of: number(line['max_retries']),
    delayMs: number(line['retry_delay_ms']),
    code,
    ...(status > 0 ? { status } : {}),
    reason: status > 0 ? `${status}, ${name}` : 'no answer',
  });
}

function streamEvent(state: ClaudeState, line: JsonObject): Step<ClaudeState> {
  if (line['abandoned_blocks'] !== undefined) return state.interrupted ? [state, []] : abandon(state);
  const event = object(line['event']);
  if (event['type'] === 'message_start') return [{ ...state, call: startCall(event) }, []];
  if (event['type'] === 'message_delta') return [{ ...state, call: updateCall(state.call, event) }, []];
  if (event['type'] !== 'content_block_delta' || !isObject(event['delta'])) return [state, []];
  const delta = event['delta'];
  if (delta['type'] === 'text_delta') {
    const piece = text(delta['text']);
    const next = { ...state, streamedText: longer(state.streamedText, piece), textCame: true };
    return state.repeating === undefined
      ? [next, [{ type: 'text', text: piece }]]
      : repeat(next, state.repeating, piece);
  }
  if (delta['type'] === 'thinking_delta') {
    const piece = text(delta['thinking']);
    const streamedThinking = longer(state.streamedThinking, piece);
    return [{ ...state, streamedThinking }, [{ type: 'thinking', text: piece }]];
  }
  return [state, []];
}

/** The connection broke in the middle of a message (2.1.325): Claude asks again, and the pieces so far are void. */
function abandon(state: ClaudeState): Step<ClaudeState> {
  const { head, chars } = state.streamedText;
  const fresh = { ...state, streamedText: nothing, streamedThinking: nothing };
  const next =
    chars > 0 && chars === head.length ? { ...fresh, repeating: { shown: head, matched: 0 } } : fresh;
  return [
    next,
    [notice('warning', 'The connection to the model was lost in the middle of a message; it begins anew')],
  ];
}

/** Drops text that was already shown; where the new text differs, all of it is shown. */
function repeat(state: ClaudeState, { shown, matched }: Repeating, piece: string): Step<ClaudeState> {
  const over = { ...state, repeating: undefined };
  const expected = shown.slice(matched, matched + piece.length);
  if (!piece.startsWith(expected))
    return [over, [{ type: 'text', text: `\n${shown.slice(0, matched)}${piece}` }]];
  if (expected.length === piece.length) {
    return [{ ...state, repeating: { shown, matched: matched + piece.length } }, []];
  }
  return [over, [{ type: 'text', text: piece.slice(expected.length) }]];
}

function assistant(state: ClaudeState, line: JsonObject): Step<ClaudeState> {
  const message = object(line['message']);
  if (line['error'] !== undefined && line['error'] !== null) {
    return [{ ...state, apiError: text(line['error']) }, []];
  }
  const ofSubagent = Boolean(line['parent_tool_use_id']);
  const events: StepEvent[] = [];
  let next = state;
  for (const block of objects(message['content'])) {
    switch (block['type']) {
      case 'text':
        if (ofSubagent) break;
        events.push({ type: 'text', text: notYetStreamed(next.streamedText, text(block['text'])) });
        next = { ...next, streamedText: nothing, textCame: true };
        break;
      case 'thinking':
        if (ofSubagent) break;
        events.push({
          type: 'thinking',
          text: notYetStreamed(next.streamedThinking, text(block['thinking'])),
        });
        next = { ...next, streamedThinking: nothing };
        break;
      case 'tool_use':
      case 'server_tool_use':
        events.push({
          type: 'tool_start',
          id: text(block['id']),
          name: text(block['name']),
          input: block['input'] ?? {},
        });
        next = { ...next, textCame: false };
        break;
    }
  }
  return [next, events];
}

function longer(streamed: Streamed, piece: string): Streamed {
  const { head, chars } = streamed;
  const room = headChars - head.length;
  return { head: room > 0 ? head + piece.slice(0, room) : head, chars: chars + piece.length };
}

/** After a broken stream Claude asks again without streaming: the whole block follows the pieces. */
function notYetStreamed(streamed: Streamed, whole: string): string {
  return whole.startsWith(streamed.head) ? whole.slice(streamed.chars) : whole;
}

function isInterrupt(line: JsonObject): boolean {
  return objects(object(line['message'])['content']).some((block) =>
    text(block['text']).startsWith('[Request interrupted by user'),
  );
}

const mostDenied = 1000;

/** The tool is known not to be run: its result will say so. */
export function withDenied(state: ClaudeState, id: string): ClaudeState {
  return { ...state, denied: [...state.denied, id].slice(-mostDenied) };
}

function toolResults(state: ClaudeState, line: JsonObject): Step<ClaudeState> {
  const message = object(line['message']);
  const events = objects(message['content'])
    .filter((block) => block['type'] === 'tool_result')
    .map((block) => {
      const id = text(block['tool_use_id']);
      const isError = block['is_error'] === true;
      const end = { type: 'tool_end' as const, id, output: contentText(block['content']), isError };
      return isError && (state.denied.includes(id) || isDeniedByRule(block))
        ? { ...end, denied: true as const }
        : end;
    });
  if (state.denied.length === 0) return [state, events];
  return [
    { ...state, denied: state.denied.filter((id) => !events.some((event) => event.id === id)) },
    events,
  ];
}

function result(state: ClaudeState, line: JsonObject, costBefore: number | undefined): Step<ClaudeState> {
  const events: StepEvent[] = [];
  const ending = endingOf(state, line);
  // The id of a session that is not there comes back in the failure.
  const missing = ending.type === 'failed' && classifyFailure(ending.message) === 'session_not_found';
  const sessionId = missing ? '' : text(line['session_id']);
  const known = state.sessionId !== undefined;
  if (!known && sessionId !== '') events.push({ type: 'session', sessionId, backend: 'claude' });
  const usage = usageOf(line, costBefore);
  if (usage !== undefined) events.push({ type: 'usage', ...usage, ...contextOf(state, line) });
  if (ending.type === 'answered' && !state.textCame && ending.text)
    events.push({ type: 'text', text: ending.text });
  const next = { ...state, ending, textCame: true, wentOnAfterResult: false };
  return [known || sessionId === '' ? next : { ...next, sessionId }, events];
}

function endingOf(state: ClaudeState, line: JsonObject): Ending {
  const subtype = line['subtype'];
  const errors = Array.isArray(line['errors']) ? line['errors'].map(text).join('\n') : '';
  const answer = typeof line['result'] === 'string' ? line['result'] : undefined;
  // An API error is called a success: is_error tells (all versions seen).
  if (line['is_error'] === true || (typeof subtype === 'string' && subtype !== 'success')) {
    const message = answer || errors || `the turn failed (${text(subtype) || 'no reason given'})`;
    const code = errorCode(state, line, message);
    const limit = code === 'rate_limit' && state.limitEnds !== undefined ? { retryAt: state.limitEnds } : {};
    return { type: 'failed', message, ...limit, ...(code === undefined ? {} : { code }) };
  }
  const stopReason = text(line['stop_reason']) || 'end_turn';
  // A result without the text leaves the answer to what was streamed.
  return { type: 'answered', stopReason, ...(answer === undefined ? {} : { text: answer }) };
}

function errorCode(state: ClaudeState, line: JsonObject, message: string): ErrorCode | undefined {
  const status = line['api_error_status'];
  if (typeof status === 'number') return classifyFailure(message, status);
  return state.apiError === undefined ? undefined : apiErrorCodes.get(state.apiError);
}

/** Claude's names of API errors; `server_error` and `unknown` also stand for a broken connection. */
const apiErrorCodes: ReadonlyMap<string, ErrorCode> = new Map(
  Object.entries<ErrorCode>({
    authentication_failed: 'auth',
    billing_error: 'rate_limit',
    rate_limit: 'rate_limit',
    model_not_found: 'bad_request',
    invalid_request: 'bad_request',
  }),
);

function usageOf(line: JsonObject, costBefore: number | undefined): Usage | undefined {
  const usage = line['usage'];
  if (!isObject(usage)) return undefined;
  const cachedInputTokens = number(usage['cache_read_input_tokens']);
  const cost = line['total_cost_usd'];
  const costKnown = typeof cost === 'number' && costBefore !== undefined;
  return {
    inputTokens:
      number(usage['input_tokens']) + number(usage['cache_creation_input_tokens']) + cachedInputTokens,
    outputTokens: number(usage['output_tokens']),
    cachedInputTokens,
    ...(costKnown ? { costUsd: rounded(Math.max(0, cost - costBefore)) } : {}),
  };
}

/** The difference of two totals has digits that neither of them had. */
function rounded(dollars: number): number {
  return Math.round(dollars * 1e12) / 1e12;
}

function rateLimit(state: ClaudeState, line: JsonObject): Step<ClaudeState> {
  const info = object(line['rate_limit_info']);
  const status = text(info['status']);
  if (status === '' || status === 'allowed') return [state, []];
  const reset = new Date(number(info['resetsAt']) * 1000);
  const isTime = reset.getTime() > 0;
  const until = isTime ? `, until ${reset.toISOString()}` : '';
  const next = status === 'rejected' && isTime ? { ...state, limitEnds: reset.getTime() } : state;
  return [next, [notice('warning', `Rate limit: ${status}${until}`)]];
}
