import { TurnoutError } from '../../core/errors.js';
import type { JsonObject } from '../output/json.js';

/**
 * Callbacks of the library's caller that the CLI runs at certain points of a turn. They belong to one session, and are no
 * relation of the gateway's own hooks (`src/gateway/hooks`).
 */
export interface AgentHooks {
  /** Before a tool runs, whatever the permission mode says about it, tools of subagents included. */
  readonly PreToolUse?: readonly ToolHook<ToolHookInput, ToolDecision>[];
  /** A tool has run. */
  readonly PostToolUse?: readonly ToolHook<ToolResultHookInput, AddedContext>[];
  /** A tool has failed. */
  readonly PostToolUseFailure?: readonly ToolHook<ToolResultHookInput, AddedContext>[];
  /** A prompt is about to be answered. */
  readonly UserPromptSubmit?: readonly AgentHook<AgentHookInput, AddedContext>[];
  readonly SessionStart?: readonly AgentHook<AgentHookInput, AddedContext>[];
  readonly SessionEnd?: readonly AgentHook<AgentHookInput>[];
  readonly Stop?: readonly AgentHook<AgentHookInput>[];
  readonly SubagentStart?: readonly AgentHook<AgentHookInput>[];
  readonly SubagentStop?: readonly AgentHook<AgentHookInput>[];
  readonly PreCompact?: readonly AgentHook<AgentHookInput>[];
  readonly Notification?: readonly AgentHook<AgentHookInput>[];
}

export type AgentHookEvent = keyof AgentHooks;

export const agentHookEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'Notification',
] as const satisfies readonly AgentHookEvent[];

export interface AgentHook<Input, Answer = never> {
  /** The limit for `run`. Default: 60 000 ms. */
  readonly timeoutMs?: number | undefined;
  /** The signal is aborted if nobody waits for the answer any more: the time is up, or the turn was stopped. */
  run(
    input: Input,
    context: { readonly signal: AbortSignal },
  ): Promise<Answer | undefined> | Answer | undefined;
}

export interface ToolHook<Input, Answer> extends AgentHook<Input, Answer> {
  /** A regular expression for the whole name of a tool, as in `Edit|Write` or `mcp__.*`. Default: every tool. */
  readonly matcher?: string | undefined;
}

export interface AgentHookInput {
  readonly event: AgentHookEvent;
  readonly sessionId: string;
  /** All that the CLI tells with the event, in its own words: a prompt, the reason of a stop. */
  readonly raw: JsonObject;
}

export interface ToolHookInput extends AgentHookInput {
  readonly tool: string;
  /** The id of the tool's `tool_start`. */
  readonly toolId: string;
  /** The tool's input, with the changes of the hooks before this one. */
  readonly input: JsonObject;
}

export interface ToolResultHookInput extends ToolHookInput {
  /** The CLI's own record of the result or of the error. */
  readonly output: unknown;
}

/** What is to become of a tool. Whatever is left out is left to the permission mode. */
export interface ToolDecision extends AddedContext {
  /** `allow`: nobody is asked. `ask`: somebody is, also if the mode would allow it. `deny`: it is not run. */
  readonly decision?: 'allow' | 'deny' | 'ask' | undefined;
  /** The reason for a `deny`, which the model gets. */
  readonly reason?: string | undefined;
  /** The input to run the tool with, in place of the model's. */
  readonly updatedInput?: Readonly<Record<string, unknown>> | undefined;
}

export interface AddedContext {
  /** A text that the model gets in addition. */
  readonly context?: string | undefined;
}

export const defaultHookMs = 60_000;

const toolEvents: readonly string[] = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'];

/** Throws a TurnoutError if the hooks can't be what was meant. */
export function checkAgentHooks(hooks: AgentHooks): void {
  if (typeof hooks !== 'object' || hooks === null)
    throw wrong('agentHooks has to be an object: { PreToolUse: [{ run(input) {…} }] }.');
  for (const [event, list] of Object.entries(hooks)) {
    if (!agentHookEvents.some((known) => known === event))
      throw wrong(`There is no hook ${JSON.stringify(event)}. Known: ${agentHookEvents.join(', ')}.`);
    if (list === undefined) continue;
    if (!Array.isArray(list)) throw wrong(`agentHooks.${event} has to be an array: [{ run(input) {…} }].`);
    for (const hook of list) checkHook(event, hook);
  }
}

function checkHook(event: string, hook: ToolHook<never, unknown>): void {
  if (typeof hook?.run !== 'function') throw wrong(`A hook for ${event} has no function \`run\`.`);
  if (hook.matcher === undefined) return;
  if (!toolEvents.includes(event)) throw wrong(`A hook for ${event} takes no matcher: it is about no tool.`);
  try {
    matches(hook.matcher, '');
  } catch (cause) {
    throw wrong(`The matcher ${JSON.stringify(hook.matcher)} is no regular expression.`, cause);
  }
}

/** An empty matcher and `*` stand for every tool, as in the settings of Claude Code. */
export function matches(matcher: string | undefined, tool: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  return new RegExp(`^(?:${matcher})$`).test(tool);
}

function wrong(message: string, cause?: unknown): TurnoutError {
  return new TurnoutError('bad_request', message, { cause });
}
