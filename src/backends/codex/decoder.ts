import { type ErrorCode, notice, type StepEvent, type Usage } from '../../core/chat-event.js';
import {
  type Ending,
  type Step,
  type TurnFacts,
  unknownLine,
  type WireDecoder,
} from '../one-shot/decoder.js';
import type { JsonObject } from '../one-shot/json-lines.js';
import { number, object, objects, text } from '../one-shot/read-fields.js';
import { itemKind, toolEnd, toolStart } from './tools.js';

export interface CodexState extends TurnFacts {
  /** The last message is the answer; those before it are remarks on the way. */
  readonly answer?: string;
  /** A thread was started: today's format, in which only turn.completed is a good end. */
  readonly inThread: boolean;
}

/** `codex exec --json`: today's thread and item events, and the two formats before them. */
export function codexDecoder(resumed?: string, totalBefore?: Usage): WireDecoder<CodexState> {
  return {
    initial: { inThread: false },
    step(state, line, raw): Step<CodexState> {
      switch (line['type']) {
        case 'thread.started':
        case 'session.created':
          return threadStarted(state, line, raw, resumed);
        case 'turn.started':
        case 'item.updated':
          return [state, []];
        case 'item.started':
          return [state, beginsTool(object(line['item']))];
        case 'item.completed':
          return itemCompleted(state, object(line['item']), raw);
        case 'turn.completed':
          return turnCompleted(state, line, resumed === undefined ? noUsage : totalBefore);
        case 'turn.failed':
          return [{ ...state, ending: failed(text(object(line['error'])['message'])) }, []];
        case 'error':
          // Mostly "Reconnecting... 1/5": only turn.failed or the exit code means failure.
          return [state, [notice('warning', text(line['message']) || 'Codex reports an error', raw)]];
        case 'message':
          return olderMessage(state, line);
        default:
          return typeof object(line['msg'])['type'] === 'string'
            ? oldestFormat(state, object(line['msg']), raw)
            : [state, [unknownLine('An unknown event', raw)]];
      }
    },
    finish(state) {
      if (state.ending !== undefined || state.inThread || state.answer === undefined) return state;
      return { ...state, ending: answered(state) };
    },
  };
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
  resumed: string | undefined,
): Step<CodexState> {
  const sessionId = text(line['thread_id']) || text(line['session_id']);
  if (sessionId === '') return [state, [unknownLine('A thread without an id', raw)]];
  if (resumed !== undefined && resumed !== sessionId) {
    // A name that is no UUID and matches nothing silently starts a new thread: end it before it does anything.
    const message = `Codex CLI error: session ${JSON.stringify(resumed)} was not found (Codex began a new one instead, which was stopped)`;
    return [
      {
        ...state,
        inThread: true,
        ending: { type: 'failed', code: 'session_not_found', message, stop: true },
      },
      [],
    ];
  }
  return [{ ...state, sessionId, inThread: true }, [{ type: 'session', sessionId, backend: 'codex' }]];
}

function itemCompleted(state: CodexState, item: JsonObject, raw: string): Step<CodexState> {
  switch (itemKind(item)) {
    case 'agent_message':
    case 'assistant_message':
      return says(state, text(item['text']));
    case 'reasoning':
      return [state, [{ type: 'thinking', text: text(item['text']) }]];
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

function says(state: CodexState, answer: string): Step<CodexState> {
  return [{ ...state, answer }, [{ type: 'text', text: answer }]];
}

const notTools = new Set(['agent_message', 'assistant_message', 'reasoning', 'error', 'todo_list', '']);

function beginsTool(item: JsonObject): readonly StepEvent[] {
  return notTools.has(itemKind(item)) ? [] : [toolStart(item)];
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

/** The figures are the thread's total: without the total before, this turn's part is not known, and none is told. */
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

/** Before threads: one line for each message. */
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
  const [next, said] = says(known, answer);
  return [next, [...session, ...said]];
}

/** Until September 2025: `{"id": …, "msg": {"type": …}}`. */
function oldestFormat(state: CodexState, message: JsonObject, raw: string): Step<CodexState> {
  switch (message['type']) {
    case 'session_configured':
      return withSession(state, text(message['session_id']));
    case 'agent_message':
      return says(state, text(message['message']));
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
