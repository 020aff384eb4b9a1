import { notice, type StepEvent, type Usage } from '../../core/chat-event.js';
import type { Step, TurnFacts, WireDecoder } from '../one-shot/decoder.js';
import { classifyFailure } from '../output/classify-failure.js';
import { type Ending, unknownLine } from '../output/ending.js';
import { isObject, type JsonObject } from '../output/json.js';
import { number, object, objects, text } from '../output/read-fields.js';

export interface GeminiState extends TurnFacts {
  /** The last error that was reported during the turn: the result of a failed turn may hold none itself. */
  readonly reported?: string;
}

/** The decoder of Gemini's `json` (one document over many lines) and `stream-json` output. */
export const geminiDecoder: WireDecoder<GeminiState> = {
  initial: {},

  step(state, line, raw): Step<GeminiState> {
    switch (line['type']) {
      case 'init':
        return withSession(state, line);
      case 'message':
        return line['role'] === 'assistant'
          ? [state, [{ type: 'text', text: text(line['content']) }]]
          : [state, []];
      case 'tool_use':
        return [
          state,
          [
            {
              type: 'tool_start',
              id: text(line['tool_id']),
              name: text(line['tool_name']),
              input: line['parameters'] ?? {},
            },
          ],
        ];
      case 'tool_result':
        return [state, [toolEnd(line)]];
      case 'error':
        return errorLine(state, line, raw);
      case 'result':
        return result(state, line);
      case undefined:
        return 'response' in line || 'error' in line
          ? document(state, line)
          : [state, [unknownLine('An unknown document', raw)]];
      default:
        return [state, [unknownLine('An unknown event', raw)]];
    }
  },
};

/** A failure as Gemini writes it, in its result or in the document on stderr. */
export function geminiFailure(error: JsonObject): Ending & { type: 'failed' } {
  const message = innerMessage(text(error['message'])) || text(error['type']) || 'the turn failed';
  const status = number(error['code']);
  const code = classifyFailure(
    `${text(error['message'])} ${text(error['type'])}`,
    status >= 400 ? status : undefined,
  );
  return { type: 'failed', message, ...(code === 'unknown' ? {} : { code }) };
}

function withSession(state: GeminiState, line: JsonObject): Step<GeminiState> {
  const sessionId = text(line['session_id']) || text(line['sessionId']);
  if (sessionId === '' || sessionId === state.sessionId) return [state, []];
  const model = text(line['model']);
  const event = {
    type: 'session',
    sessionId,
    backend: 'gemini',
    ...(model === '' ? {} : { model }),
  } as const;
  return [{ ...state, sessionId }, [event]];
}

function errorLine(state: GeminiState, line: JsonObject, raw: string): Step<GeminiState> {
  const reported = text(line['message']);
  const event = notice('warning', reported || 'Gemini warns', raw);
  return [reported === '' || line['severity'] !== 'error' ? state : { ...state, reported }, [event]];
}

function toolEnd(line: JsonObject): StepEvent {
  const error = text(object(line['error'])['message']);
  const end = {
    type: 'tool_end' as const,
    id: text(line['tool_id']),
    output: text(line['output']) || error,
    isError: text(line['status']) === 'error' || error !== '' || exitedBadly(line),
  };
  return isDenial(error) ? { ...end, denied: true } : end;
}

/** The id of a call begins with the tool's name. */
function exitedBadly(line: JsonObject): boolean {
  return text(line['tool_id']).startsWith('run_shell_command') && tellsOfFailure(text(line['output']));
}

/**
 * True for what Gemini (0.61.0) says of a command that was stopped, or that failed without output. It counts each of them as
 * a success; one that failed with output can't be told from one.
 */
export function tellsOfFailure(output: string): boolean {
  return /^Command (cancelled by user\.|was automatically cancelled|exited with code: |terminated by signal: |failed: )/.test(
    output,
  );
}

/** True for what Gemini says of a tool that a person or a rule has denied. */
export function isDenial(error: string): boolean {
  return /^(\[Operation Cancelled\]|Tool "[^"]*" was canceled by the user|Tool execution (for "[^"]*" )?denied)/.test(
    error,
  );
}

function result(state: GeminiState, line: JsonObject): Step<GeminiState> {
  const events: StepEvent[] = [];
  const stats = object(line['stats']);
  if (line['stats'] !== undefined) {
    events.push({
      type: 'usage',
      inputTokens: number(stats['input_tokens']),
      // total_tokens has the thoughts too, and they are paid for like output.
      outputTokens: Math.max(
        number(stats['output_tokens']),
        number(stats['total_tokens']) - number(stats['input_tokens']),
      ),
      cachedInputTokens: number(stats['cached']),
    });
  }
  const ending: Ending =
    text(line['status']) === 'success'
      ? { type: 'answered', stopReason: 'end_turn' }
      : geminiFailure({ message: state.reported, ...object(line['error']) });
  return [{ ...state, ending }, events];
}

function document(state: GeminiState, line: JsonObject): Step<GeminiState> {
  const [known, events] = withSession(state, line);
  const response = line['response'];
  // An empty answer comes with the reason for it, and with exit code 0.
  if (typeof response !== 'string' || isObject(line['error'])) {
    return [{ ...known, ending: geminiFailure(object(line['error'])) }, events];
  }
  const usage =
    line['stats'] === undefined ? [] : [{ type: 'usage', ...documentUsage(object(line['stats'])) } as const];
  const ending: Ending = { type: 'answered', stopReason: 'end_turn', text: response };
  return [{ ...known, ending }, [...events, { type: 'text', text: response }, ...usage]];
}

function documentUsage(stats: JsonObject): Usage {
  const tokens = objects(Object.values(object(stats['models']))).map((model) => object(model['tokens']));
  const sum = (...fields: string[]) =>
    tokens.reduce((total, of) => total + fields.reduce((all, field) => all + number(of[field]), 0), 0);
  return {
    inputTokens: sum('prompt'),
    outputTokens: sum('candidates', 'thoughts'),
    cachedInputTokens: sum('cached'),
  };
}

/** The sentence inside `[API Error: {"error":{"message":"…"}}]`. */
export function innerMessage(message: string): string {
  const json = /\{.*\}/s.exec(message)?.[0];
  if (json === undefined) return message;
  try {
    return text(object(object(JSON.parse(json))['error'])['message']) || message;
  } catch {
    return message;
  }
}
