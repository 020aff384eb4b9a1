import { type ErrorCode, notice, type Usage } from '../../core/chat-event.js';
import type { Step, TurnFacts, WireDecoder } from '../one-shot/decoder.js';
import { classifyFailure } from '../output/classify-failure.js';
import { type Ending, unknownLine } from '../output/ending.js';
import type { JsonObject } from '../output/json.js';
import { number, object, objects, text } from '../output/read-fields.js';
import { readRetry } from './retries.js';
import { itemKind, toolEnd, toolStart, updatedPlan } from './tools.js';

export interface CodexState extends TurnFacts {
  /** The last message is the answer; those before it are remarks on the way. */
  readonly answer?: string;
  /** A thread was started: in today's format, where only turn.completed is a good end. */
  readonly inThread: boolean;
  /** An error that may have ended the turn: the next line tells. */
  readonly heldError?: HeldError;
  /** The number of plans that were told. */
  readonly plans?: number;
}

interface HeldError {
  readonly message: string;
  readonly raw: string;
}

/** The facts about a thread that are known before its turn. */
export interface KnownThread {
  readonly isResumed?: boolean;
  readonly totalBefore?: Usage | undefined;
  /** The model that was asked for: Codex prints none, and uses this one or fails. */
  readonly model?: string | undefined;
}

/** The decoder of `codex exec --json`: today's thread and item events, and the two formats before them. */
export function codexDecoder(known: KnownThread = {}): WireDecoder<CodexState> {
  return {
    initial: { inThread: false },
    step({ heldError, ...state }, line, raw): Step<CodexState> {
      const [next, events] = event(known, state, line, raw);
      if (heldError === undefined || repeats(line, heldError)) return [next, events];
      return [next, [notice('warning', heldError.message, heldError.raw), ...events]];
    },
    finish(state) {
      if (state.ending !== undefined) return state;
      if (state.heldError !== undefined) return { ...state, ending: failed(state.heldError.message) };
      if (state.inThread || state.answer === undefined) return state;
      return { ...state, ending: answered(state) };
    },
  };
}

function event(known: KnownThread, state: CodexState, line: JsonObject, raw: string): Step<CodexState> {
  switch (line['type']) {
    case 'thread.started':
    case 'session.created':
      return threadStarted(state, line, raw, known.model);
    case 'turn.started':
      return [state, []];
    case 'item.updated':
      return planUpdated(state, object(line['item']));
    case 'item.started':
      return itemStarted(state, object(line['item']));
    case 'item.completed':
      return itemCompleted(state, object(line['item']), raw);
    case 'turn.completed':
      return turnCompleted(state, line, known.isResumed ? known.totalBefore : noUsage);
    case 'turn.failed':
      return [{ ...state, ending: turnFailed(line) }, []];
    case 'error':
      return errorReported(state, text(line['message']) || 'Codex reports an error', raw);
    case 'message':
      return olderMessage(state, line);
    default:
      return typeof object(line['msg'])['type'] === 'string'
        ? oldestFormat(state, object(line['msg']), raw)
        : [state, [unknownLine('An unknown event', raw)]];
  }
}

/**
 * Only turn.failed or the exit code means failure. An error that ends the turn comes again in turn.failed, and must not be
 * told twice.
 */
function errorReported(state: CodexState, message: string, raw: string): Step<CodexState> {
  const retry = readRetry(message);
  if (retry !== undefined) return [state, [{ ...notice('warning', message, raw), retry }]];
  return state.ending === undefined
    ? [{ ...state, heldError: { message, raw } }, []]
    : [state, [notice('warning', message, raw)]];
}

function repeats(line: JsonObject, held: HeldError): boolean {
  return line['type'] === 'turn.failed' && text(object(line['error'])['message']) === held.message;
}

/** The thread's running total, to subtract from the next turn's. */
export function threadTotal(line: JsonObject): Usage {
  const usage = object(line['usage']);
  return {
    inputTokens: number(usage['input_tokens']),
    outputTokens: number(usage['output_tokens']),
    cachedInputTokens: number(usage['cached_input_tokens']),
  };
}

function threadStarted(
  state: CodexState,
  line: JsonObject,
  raw: string,
  model: string | undefined,
): Step<CodexState> {
  const sessionId = text(line['thread_id']) || text(line['session_id']);
  if (sessionId === '') return [state, [unknownLine('A thread without an id', raw)]];
  const named = model === undefined ? {} : { model };
  return [
    { ...state, sessionId, inThread: true },
    [{ type: 'session', sessionId, backend: 'codex', ...named }],
  ];
}

function itemCompleted(state: CodexState, item: JsonObject, raw: string): Step<CodexState> {
  switch (itemKind(item)) {
    case 'agent_message':
    case 'assistant_message':
      return agentMessage(state, text(item['text']));
    case 'reasoning':
      return [state, [{ type: 'thinking_start' }, { type: 'thinking', text: text(item['text']) }]];
    case 'error':
      return [state, [notice('warning', text(item['message']) || 'Codex warns', raw)]];
    case 'todo_list':
      return [state, []];
    case '':
      return [state, [unknownLine('An item without a type', raw)]];
    default:
      return [state, [toolStart(item), toolEnd(item)]];
  }
}

function agentMessage(state: CodexState, answer: string): Step<CodexState> {
  return [{ ...state, answer }, [{ type: 'text', text: answer }]];
}

const notTools = new Set(['agent_message', 'assistant_message', 'reasoning', 'error', 'todo_list', '']);

function itemStarted(state: CodexState, item: JsonObject): Step<CodexState> {
  if (itemKind(item) === 'todo_list') return planUpdated(state, item);
  return [state, notTools.has(itemKind(item)) ? [] : [toolStart(item)]];
}

/** The plan is one item that changes until the turn ends: each change is told as the model's call of `update_plan`. */
function planUpdated(state: CodexState, item: JsonObject): Step<CodexState> {
  if (itemKind(item) !== 'todo_list') return [state, []];
  const plans = (state.plans ?? 0) + 1;
  const steps = objects(item['items']).map(({ text: step, completed }) => ({
    step,
    status: completed === true ? 'completed' : 'pending',
  }));
  return [{ ...state, plans }, updatedPlan(`plan-${plans}`, steps)];
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

/** The figures are the thread's total. Without the total before, this turn's usage is not known, and none is told. */
function turnCompleted(state: CodexState, line: JsonObject, before: Usage | undefined): Step<CodexState> {
  const next = { ...state, ending: answered(state) };
  if (before === undefined) return [next, []];
  const total = threadTotal(line);
  const usage: Usage = {
    inputTokens: total.inputTokens - before.inputTokens,
    outputTokens: total.outputTokens - before.outputTokens,
    cachedInputTokens: (total.cachedInputTokens ?? 0) - (before.cachedInputTokens ?? 0),
  };
  return [next, [{ type: 'usage', ...usage }]];
}

function answered(state: CodexState): Ending {
  return { type: 'answered', stopReason: 'end_turn', text: state.answer ?? '' };
}

function failed(message: string, code?: ErrorCode): Ending {
  return { type: 'failed', message: message || 'the turn failed', ...(code === undefined ? {} : { code }) };
}

/**
 * Codex gives no code beside the message (0.166). But the message of a 400 is the API's whole answer, that of a 404 the
 * API's message, and everything else is in Codex's own words.
 */
function turnFailed(line: JsonObject): Ending {
  const message = text(object(line['error'])['message']);
  if (message.startsWith('{')) return failed(message, 'bad_request');
  const code = classifyFailure(message);
  if (code !== 'unknown') return failed(message, code);
  return message === '' || ownWords.test(message) ? failed(message) : failed(message, 'bad_request');
}

/** The beginnings of messages about Codex's own troubles, which are no answers of the API. */
const ownWords =
  /^(fatal error|internal error|sandbox error|spawn failed|turn aborted|interrupted|timeout|request timed out|unsupported operation|no thread with id|agent thread limit|session configured event|image poisoning)|\(os error \d+\)/i;

/** The format before threads has one line for each message. */
function olderMessage(state: CodexState, line: JsonObject): Step<CodexState> {
  const [known, session] = withSession(state, text(line['session_id']));
  if (line['role'] !== 'assistant') return [known, session];
  const content = line['content'];
  const answer =
    typeof content === 'string'
      ? content
      : objects(content)
          .map((part) => text(part['text']))
          .join('');
  const [next, events] = agentMessage(known, answer);
  return [next, [...session, ...events]];
}

/** The format until September 2025 was `{"id": …, "msg": {"type": …}}`. */
function oldestFormat(state: CodexState, message: JsonObject, raw: string): Step<CodexState> {
  switch (message['type']) {
    case 'session_configured':
      return withSession(state, text(message['session_id']));
    case 'agent_message':
      return agentMessage(state, text(message['message']));
    case 'agent_reasoning':
      return [state, [{ type: 'thinking', text: text(message['text']) }]];
    case 'task_complete': {
      const last = text(message['last_agent_message']);
      const next = state.answer === undefined && last !== '' ? { ...state, answer: last } : state;
      return [{ ...next, ending: answered(next) }, []];
    }
    case 'error':
      return [{ ...state, ending: failed(text(message['message'])) }, []];
    case 'task_started':
    case 'token_count':
      return [state, []];
    default:
      return [state, [unknownLine('An unknown event', raw)]];
  }
}

function withSession(state: CodexState, sessionId: string): Step<CodexState> {
  if (sessionId === '' || sessionId === state.sessionId) return [state, []];
  return [{ ...state, sessionId }, [{ type: 'session', sessionId, backend: 'codex' }]];
}
