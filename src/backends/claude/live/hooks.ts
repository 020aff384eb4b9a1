import { type NoticeEvent, notice } from '../../../core/chat-event.js';
import { describeThrown } from '../../../core/describe-thrown.js';
import { abortable, late, within } from '../../../core/wait.js';
import {
  type AddedContext,
  type AgentHook,
  type AgentHookEvent,
  type AgentHookInput,
  type AgentHooks,
  agentHookEvents,
  defaultHookMs,
  matches,
  type ToolDecision,
  type ToolHook,
  type ToolHookInput,
} from '../../live/agent-hooks.js';
import type { LiveSessionOptions } from '../../live/types.js';
import { isObject, type JsonObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';
import { confirmationHooks } from './permissions.js';

const idPrefix = 'turnout-hook-';

/** The time limits (in seconds) are ours to keep: after its own, Claude would go on as if the hook had agreed. */
const farAway = 7 * 24 * 3600;

/**
 * The hooks for the `initialize` request. There is one callback for each event: which of the caller's hooks it concerns,
 * and their order, is decided here, so that one hook sees the changes of another.
 */
export function registeredHooks({
  agentHooks = {},
  confirmTools,
}: LiveSessionOptions): JsonObject | undefined {
  const wanted = agentHookEvents.filter((event) => (agentHooks[event]?.length ?? 0) > 0);
  const own = wanted.map((event) => [
    event,
    [{ matcher: '*', hookCallbackIds: [`${idPrefix}${event}`], timeout: farAway }],
  ]);
  // What is confirmed is the input that the caller's hooks have left: their answer waits for the confirmation.
  const confirms = confirmTools && !wanted.includes('PreToolUse') ? confirmationHooks : {};
  if (own.length === 0 && !confirmTools) return undefined;
  return { ...Object.fromEntries(own), ...confirms };
}

const keys = new WeakMap<AgentHooks, number>();
let count = 0;

/** A process has the hooks it was started with: it is shared only by sessions with the same object of hooks, or none. */
export function hooksKey(hooks: AgentHooks | undefined): number | undefined {
  if (hooks === undefined) return undefined;
  const key = keys.get(hooks) ?? ++count;
  keys.set(hooks, key);
  return key;
}

/** The outcome of the hooks for one event. */
export interface HookOutcome {
  readonly notices: readonly NoticeEvent[];
  readonly decision?: ToolDecision['decision'];
  readonly reason?: string | undefined;
  readonly input?: JsonObject | undefined;
  readonly context?: string | undefined;
}

/** Runs the caller's hooks for the callbacks of one process. */
export class HookCalls {
  readonly #hooks: AgentHooks;
  readonly #running = new Map<string, AbortController>();

  constructor(hooks: AgentHooks = {}) {
    this.#hooks = hooks;
  }

  /** The outcome for a callback; `undefined` if Claude has taken it back meanwhile. Never rejects: Claude waits for it. */
  async run(id: string, request: JsonObject): Promise<HookOutcome | undefined> {
    const event = eventOf(request);
    if (event === undefined) return { notices: [] };
    const stopped = new AbortController();
    this.#running.set(id, stopped);
    const input = inputOf(event, request);
    try {
      const outcome =
        event === 'PreToolUse'
          ? await this.#decide(input as ToolHookInput, stopped.signal)
          : await this.#tell(event, input, stopped.signal);
      return stopped.signal.aborted ? undefined : outcome;
    } catch (error) {
      if (stopped.signal.aborted) return undefined;
      const failure = describeThrown(error);
      return event === 'PreToolUse'
        ? denied(input as ToolHookInput, failure)
        : { notices: [failed(event, failure)] };
    } finally {
      this.#running.delete(id);
    }
  }

  cancel(id: string): void {
    this.#running.get(id)?.abort();
  }

  cancelAll(): void {
    for (const stopped of this.#running.values()) stopped.abort();
  }

  /** One hook after the other. The first that denies, or fails, decides; a question counts more than a permission. */
  async #decide(asked: ToolHookInput, stopped: AbortSignal): Promise<HookOutcome> {
    let outcome: HookOutcome = { notices: [] };
    let input = asked.input;
    for (const hook of matching(this.#hooks.PreToolUse, asked.tool)) {
      const answer = await ask(hook, { ...asked, input }, stopped, checkedDecision);
      if ('failure' in answer) return denied(asked, answer.failure);
      const { decision, reason, updatedInput, context } = answer.value;
      if (decision === 'deny') return { notices: [], decision, reason: reason || 'A hook denied this.' };
      input = updatedInput ?? input;
      outcome = {
        notices: [],
        decision: outcome.decision === 'ask' ? 'ask' : (decision ?? outcome.decision),
        reason: reason ?? outcome.reason,
        input: updatedInput ?? outcome.input,
        context: joined(outcome.context, context),
      };
    }
    return outcome;
  }

  /** A hook that fails stops nothing: what it is told of has happened, or is not its to decide. */
  async #tell(event: AgentHookEvent, input: AgentHookInput, stopped: AbortSignal): Promise<HookOutcome> {
    let outcome: HookOutcome = { notices: [] };
    const hooks: readonly ToolHook<AgentHookInput, AddedContext>[] = (this.#hooks[event] ?? []) as never;
    for (const hook of matching(hooks, text(input.raw['tool_name']))) {
      const answer = await ask(hook, input, stopped, checkedContext);
      outcome =
        'failure' in answer
          ? { ...outcome, notices: [...outcome.notices, failed(event, answer.failure)] }
          : { ...outcome, context: joined(outcome.context, answer.value.context) };
    }
    return outcome;
  }
}

/** True for a callback of a hook that was registered here. */
export function isHookCall(request: JsonObject): boolean {
  return request['subtype'] === 'hook_callback' && eventOf(request) !== undefined;
}

/** True if a callback has a say about a tool: its answer waits for a confirmation where there is one. */
export function decidesAboutTool(request: JsonObject): boolean {
  return eventOf(request) === 'PreToolUse';
}

/** The answer in Claude's own terms (2.1.325). An empty one is no opinion. */
export function hookAnswer(request: JsonObject, outcome: HookOutcome): JsonObject {
  const { decision, reason, input, context } = outcome;
  const specific = {
    ...(decision === undefined ? {} : { permissionDecision: decision }),
    ...(decision === undefined || reason === undefined ? {} : { permissionDecisionReason: reason }),
    ...(input === undefined ? {} : { updatedInput: input }),
    ...(context === undefined ? {} : { additionalContext: context }),
  };
  if (Object.keys(specific).length === 0) return {};
  return { hookSpecificOutput: { hookEventName: eventOf(request), ...specific } };
}

/** The same request with the input that the hooks have left. */
export function withInput(request: JsonObject, { input }: HookOutcome): JsonObject {
  if (input === undefined) return request;
  return { ...request, input: { ...object(request['input']), tool_input: input } };
}

function eventOf(request: JsonObject): AgentHookEvent | undefined {
  const name = text(request['callback_id']);
  return name.startsWith(idPrefix)
    ? agentHookEvents.find((event) => event === name.slice(idPrefix.length))
    : undefined;
}

function inputOf(event: AgentHookEvent, request: JsonObject): AgentHookInput {
  const raw = object(request['input']);
  const told = { event, sessionId: text(raw['session_id']), raw };
  if (raw['tool_name'] === undefined) return told;
  const output = raw['tool_response'] ?? raw['error'];
  const tool: ToolHookInput = {
    ...told,
    tool: text(raw['tool_name']),
    toolId: text(raw['tool_use_id']) || text(request['tool_use_id']),
    input: object(raw['tool_input']),
  };
  return output === undefined ? tool : ({ ...tool, output } as AgentHookInput);
}

function matching<H extends ToolHook<never, unknown>>(
  hooks: readonly H[] | undefined,
  tool: string,
): readonly H[] {
  return (hooks ?? []).filter(({ matcher }) => matches(matcher, tool));
}

type Answered<A> = { readonly value: A } | { readonly failure: string };

async function ask<I, A>(
  hook: AgentHook<I, A>,
  input: I,
  stopped: AbortSignal,
  check: (answer: unknown) => A | undefined,
): Promise<Answered<A>> {
  const over = new AbortController();
  const signal = AbortSignal.any([stopped, over.signal]);
  const limit = hook.timeoutMs ?? defaultHookMs;
  try {
    const running = Promise.resolve().then(() => hook.run(input, { signal }));
    const answer = await abortable(within<unknown>(limit, running), stopped);
    if (answer === late) return { failure: `it did not answer within ${limit / 1000} s` };
    const value = check(answer ?? {});
    return value === undefined ? { failure: 'its answer is not one that a hook can give' } : { value };
  } catch (error) {
    if (stopped.aborted) throw error;
    return { failure: describeThrown(error) };
  } finally {
    over.abort();
  }
}

/** A caller without types may answer anything; what is not understood must not become an allowance. */
function checkedDecision(answer: unknown): ToolDecision | undefined {
  if (!isObject(answer) || checkedContext(answer) === undefined) return undefined;
  const { decision, reason, updatedInput } = answer;
  const known = [undefined, 'allow', 'deny', 'ask'].includes(decision as string | undefined);
  const isReason = reason === undefined || typeof reason === 'string';
  if (!known || !isReason) return undefined;
  if (updatedInput === undefined) return answer;
  const input = isObject(updatedInput) ? asSent(updatedInput) : undefined;
  return isObject(input) ? { ...answer, updatedInput: input } : undefined;
}

/** The input as Claude gets it. Throws if it can't be sent: a BigInt, a cycle. */
function asSent(input: JsonObject): unknown {
  try {
    return JSON.parse(JSON.stringify(input));
  } catch (cause) {
    throw new Error(`its answer can not be written as JSON: ${describeThrown(cause)}`, { cause });
  }
}

function checkedContext(answer: unknown): AddedContext | undefined {
  if (!isObject(answer)) return undefined;
  const { context } = answer;
  return context === undefined || typeof context === 'string' ? answer : undefined;
}

function denied({ tool }: ToolHookInput, failure: string): HookOutcome {
  const reason = `A hook failed, and without it nothing is allowed: ${failure}`;
  const told = notice('warning', `${tool} was denied: the PreToolUse hook failed: ${failure}`);
  return { decision: 'deny', reason, notices: [told] };
}

function failed(event: AgentHookEvent, failure: string): NoticeEvent {
  return notice('warning', `The ${event} hook failed: ${failure}`);
}

function joined(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || other === undefined ? (one ?? other) : `${one}\n\n${other}`;
}
