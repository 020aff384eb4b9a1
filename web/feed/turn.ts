import type {
  ChatEvent,
  PermissionDecision,
  StepEvent,
  ToolEndEvent,
  Usage,
  UsageEvent,
} from '../../src/core/chat-event.js';
import type { FailureView, TurnView } from '../../src/gateway/channels/http/wire.js';
import { paragraphEnd } from './paragraph-end.js';

/** A turn as far as it is known: its view, and what the agent said and did. */
export interface Turn extends Omit<TurnView, 'channel' | 'startedAt'> {
  readonly startedAt?: string;
  readonly steps: readonly Step[];
}

export type Step = TextStep | ThinkingStep | ToolStep | PermissionStep | NoticeStep | SteeringStep;

export interface TextStep {
  readonly type: 'text';
  readonly text: string;
}

export interface ThinkingStep {
  readonly type: 'thinking';
  readonly text: string;
  readonly ended: boolean;
}

export interface ToolStep {
  readonly type: 'tool';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Absent while the tool runs. */
  readonly end?: { readonly output: string; readonly isError: boolean; readonly denied: boolean };
}

export interface PermissionStep {
  readonly type: 'permission';
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** The id of the tool's step, if the CLI tells it. */
  readonly toolId?: string;
  readonly decision?: PermissionDecision;
  readonly message?: string;
}

export interface NoticeStep {
  readonly type: 'notice';
  readonly message: string;
}

/** A message was taken into the turn here: what follows may be its answer. */
export interface SteeringStep {
  readonly type: 'steering';
  readonly eventId: string;
  /** Its first words. */
  readonly message: string;
}

/** The turn that a ChatEvent belongs to may be told of later: an id is enough to begin with. */
export function unknownTurn(turnId: string): Turn {
  return { turnId, eventIds: [], state: 'running', steps: [] };
}

/** What the gateway says of the turn is newer than what the events told; its steps stay. */
export function describeTurn(turn: Turn, view: TurnView): Turn {
  const { channel: _, ...known } = view;
  const { usage = turn.usage, error = turn.error } = view;
  return {
    ...turn,
    ...known,
    ...(usage === undefined ? {} : { usage }),
    ...(error === undefined || view.state === 'running' ? {} : { error }),
  };
}

/** Adds what the agent said or did. */
export function addEvent(turn: Turn, event: ChatEvent): Turn {
  switch (event.type) {
    case 'session':
      return {
        ...turn,
        backend: turn.backend ?? event.backend,
        ...(event.model === undefined ? {} : { model: event.model }),
      };
    case 'usage':
      return { ...turn, usage: usageOf(event) };
    case 'complete':
      return { ...closeThinking(turn), ...(event.usage === undefined ? {} : { usage: event.usage }) };
    case 'error': {
      const error: FailureView = { code: event.code, message: event.message };
      return { ...closeThinking(turn), error };
    }
    default:
      return addStep(turn, event);
  }
}

function addStep(turn: Turn, event: Exclude<StepEvent, { type: 'session' | 'usage' }>): Turn {
  const { steps } = turn;
  const last = steps.at(-1);
  switch (event.type) {
    case 'text':
      if (event.text === '') return turn;
      if (last?.type === 'text') return replaceLast(turn, { type: 'text', text: last.text + event.text });
      if (last?.type === 'steering') return addBehindSteering(turn, event.text);
      return { ...turn, steps: [...steps, { type: 'text', text: event.text }] };
    case 'thinking_start':
      return { ...turn, steps: [...steps, { type: 'thinking', text: '', ended: false }] };
    case 'thinking':
      if (last?.type === 'thinking' && !last.ended) {
        return replaceLast(turn, { ...last, text: last.text + event.text });
      }
      return { ...turn, steps: [...steps, { type: 'thinking', text: event.text, ended: false }] };
    case 'thinking_end':
      return closeThinking(turn);
    case 'tool_start': {
      const { id, name, input } = event;
      return { ...turn, steps: [...steps, { type: 'tool', id, name, input }] };
    }
    case 'tool_end':
      return endTool(turn, event);
    case 'permission_request': {
      const { id, tool, input, toolId } = event;
      const about = toolId === undefined ? {} : { toolId };
      return { ...turn, steps: [...steps, { type: 'permission', id, tool, input, ...about }] };
    }
    case 'permission_resolved': {
      const { id, decision, message } = event;
      const told = message === undefined ? {} : { message };
      return {
        ...turn,
        steps: steps.map((step) =>
          step.type === 'permission' && step.id === id ? { ...step, decision, ...told } : step,
        ),
      };
    }
    case 'notice':
      if (event.eventId !== undefined) {
        const { eventId, message } = event;
        return { ...turn, steps: [...steps, { type: 'steering', eventId, message }] };
      }
      // What the CLI said beside the protocol is for the archive; what it warns of, or waits for, is for people.
      if (event.level !== 'warning' && event.retry === undefined) return turn;
      return { ...turn, steps: [...steps, { type: 'notice', message: event.message }] };
    default:
      // A newer gateway may say what this page does not know.
      return turn;
  }
}

/** A message that came in the middle of a paragraph stands behind that paragraph, which is said to its end first. */
function addBehindSteering(turn: Turn, text: string): Turn {
  const at = turn.steps.findLastIndex(({ type }) => type !== 'steering');
  const before = turn.steps[at];
  if (before?.type !== 'text') return { ...turn, steps: [...turn.steps, { type: 'text', text }] };
  const end = paragraphEnd(before.text, text);
  const steps =
    end === 0 ? turn.steps : turn.steps.with(at, { type: 'text', text: before.text + text.slice(0, end) });
  const rest = text.slice(end);
  return { ...turn, steps: rest === '' ? steps : [...steps, { type: 'text', text: rest }] };
}

function endTool(turn: Turn, { id, output, isError, denied = false }: ToolEnd): Turn {
  const at = turn.steps.findLastIndex((step) => step.type === 'tool' && step.id === id);
  const step = turn.steps[at];
  if (step?.type !== 'tool') return turn;
  return { ...turn, steps: turn.steps.with(at, { ...step, end: { output, isError, denied } }) };
}

type ToolEnd = Omit<ToolEndEvent, 'type' | 'denied'> & { readonly denied?: boolean };

function closeThinking(turn: Turn): Turn {
  const last = turn.steps.at(-1);
  if (last?.type !== 'thinking' || last.ended) return turn;
  return replaceLast(turn, { ...last, ended: true });
}

function replaceLast(turn: Turn, step: Step): Turn {
  return { ...turn, steps: turn.steps.with(-1, step) };
}

/** The event on the wire names its turn as well. */
function usageOf(event: UsageEvent): Usage {
  const { inputTokens, outputTokens, cachedInputTokens, costUsd, contextTokens, contextWindow } = event;
  return {
    inputTokens,
    outputTokens,
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
}
