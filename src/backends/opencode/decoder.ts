import type { StepEvent, StopReason, Usage } from '../../core/chat-event.js';
import type { Step, TurnFacts, WireDecoder } from '../one-shot/decoder.js';
import { type Ending, unknownLine } from '../output/ending.js';
import type { JsonObject } from '../output/json.js';
import { number, object, text } from '../output/read-fields.js';
import { errorEnding } from './failure.js';

export interface OpenCodeState extends TurnFacts {
  readonly spoke: boolean;
  /** A step runs, or is sure to follow. One follows a step that said "stop" too, when the conversation was compacted. */
  readonly stepping: boolean;
  /** Tokens and cost come for each step: the turn is their sum. */
  readonly usage?: Usage;
}

/** The decoder of `opencode run --format json`: today's parts, and the older single result. */
export const openCodeDecoder: WireDecoder<OpenCodeState> = {
  initial: { spoke: false, stepping: false },
  goesOn: (state) => state.stepping,

  step(state, line, raw): Step<OpenCodeState> {
    const [known, session] = withSession(state, line);
    const [next, events] = event(known, line, raw);
    return [next, session.length === 0 ? events : [...session, ...events]];
  },

  /** Some versions lose the last step_finish: the text before a clean exit is the answer then. */
  finish(state) {
    return state.ending === undefined && state.spoke ? { ...state, ending: answered('stop') } : state;
  },
};

/** The facts about a turn that are known before OpenCode prints anything. */
export interface KnownTurn {
  /** The model that was asked for: OpenCode prints none, and uses this one or fails. */
  readonly model?: string | undefined;
  /** An event to tell before the session's. */
  readonly first?: StepEvent | undefined;
}

export function openCodeDecoderFor({ model, first }: KnownTurn): WireDecoder<OpenCodeState> {
  const about = (event: StepEvent): readonly StepEvent[] => {
    if (event.type !== 'session') return [event];
    const session = model === undefined ? event : { ...event, model };
    return first === undefined ? [session] : [first, session];
  };
  return {
    ...openCodeDecoder,
    step(state, line, raw) {
      const [next, events] = openCodeDecoder.step(state, line, raw);
      return [next, next.sessionId === state.sessionId ? events : events.flatMap(about)];
    },
  };
}

function event(state: OpenCodeState, line: JsonObject, raw: string): Step<OpenCodeState> {
  const part = object(line['part']);
  switch (line['type']) {
    case 'step_start':
      return [{ ...state, stepping: true }, []];
    case 'text':
      return [
        { ...state, spoke: true, stepping: true },
        [{ type: 'text', text: text(part['text']) || text(line['text']) }],
      ];
    case 'reasoning':
      return [state, [{ type: 'thinking_start' }, { type: 'thinking', text: text(part['text']) }]];
    case 'tool_use':
      return [{ ...state, spoke: false }, tool(part)];
    case 'step_finish':
      return stepFinish(state, part);
    case 'error':
      return [{ ...state, ending: errorEnding(object(line['error'])), stepping: false }, []];
    case 'result': {
      const answer = text(line['text']) || text(line['result']);
      const ending: Ending = { type: 'answered', stopReason: 'end_turn', text: answer };
      return [{ ...state, ending, stepping: false }, [{ type: 'text', text: answer }]];
    }
    default:
      return [state, [unknownLine('An unknown event', raw)]];
  }
}

function withSession(state: OpenCodeState, line: JsonObject): Step<OpenCodeState> {
  const sessionId = text(line['sessionID']) || text(line['session_id']);
  if (sessionId === '' || sessionId === state.sessionId) return [state, []];
  return [{ ...state, sessionId }, [{ type: 'session', sessionId, backend: 'opencode' }]];
}

/** A part is printed when it is over: the tool's start and end come together. */
function tool(part: JsonObject): readonly StepEvent[] {
  const state = object(part['state']);
  const id = text(part['callID']) || text(part['id']);
  return [
    { type: 'tool_start', id, name: text(part['tool']), input: state['input'] ?? {} },
    toolEnd(id, state),
  ];
}

export function toolEnd(id: string, state: JsonObject): StepEvent & { type: 'tool_end' } {
  const failed = text(state['status']) === 'error';
  const output = text(state[failed ? 'error' : 'output']);
  const end = { type: 'tool_end' as const, id, output, isError: failed || exitedBadly(state) };
  return failed && isDenial(output) ? { ...end, denied: true } : end;
}

/** OpenCode counts a command as completed however it ended; one that was killed has the exit code `null`. */
function exitedBadly(state: JsonObject): boolean {
  const { exit } = object(state['metadata']);
  return exit === null || (typeof exit === 'number' && exit !== 0);
}

/** True for what OpenCode says of a tool that a person or a rule has denied. */
export function isDenial(error: string): boolean {
  return /^The user (rejected permission to use this|has specified a rule which prevents you from using this)/.test(
    error,
  );
}

function stepFinish(state: OpenCodeState, part: JsonObject): Step<OpenCodeState> {
  const usage = addStep(state.usage, part);
  const reason = text(part['reason']);
  // After a step that ended for no known reason OpenCode asks the model again.
  const next = { ...state, usage, stepping: reason === 'tool-calls' || reason === 'unknown' };
  if (reason === 'tool-calls') return [next, [{ type: 'usage', ...usage }]];
  return [{ ...next, ending: state.ending ?? answered(reason) }, [{ type: 'usage', ...usage }]];
}

/** What a step means for the session's context: it is as large as the step, it stays as it was, or it is not known any more. */
export type StepContext = 'own' | 'other' | 'unknown';

/** The usage with that of one more step, from its `step-finish` part. */
export function addStep(before: Usage | undefined, part: JsonObject, context: StepContext = 'own'): Usage {
  const tokens = object(part['tokens']);
  const cache = object(tokens['cache']);
  // OpenCode counts cached input apart.
  const read = number(tokens['input']) + number(cache['read']) + number(cache['write']);
  const wrote = number(tokens['output']) + number(tokens['reasoning']);
  // A step whose call has failed counts nothing.
  const own = context === 'own' && read + wrote > 0 ? read + wrote : before?.contextTokens;
  const contextTokens = context === 'unknown' ? undefined : own;
  return {
    inputTokens: (before?.inputTokens ?? 0) + read,
    outputTokens: (before?.outputTokens ?? 0) + wrote,
    cachedInputTokens: (before?.cachedInputTokens ?? 0) + number(cache['read']),
    costUsd: (before?.costUsd ?? 0) + number(part['cost']),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
}

export function answered(reason: string): Ending {
  return { type: 'answered', stopReason: stopReason(reason) };
}

function stopReason(reason: string): StopReason {
  if (reason === 'stop' || reason === '') return 'end_turn';
  return reason === 'content-filter' ? 'refusal' : reason;
}
