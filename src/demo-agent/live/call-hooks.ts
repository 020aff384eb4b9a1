import type { ToolName, ToolOutcome } from '../step.js';
import type { TurnWatcher } from '../take-turn.js';
import { type Hook, type HookEvent, hooksFor } from './hooks.js';
import type { Fields } from './read-messages.js';
import type { LiveSession } from './session.js';

/** The request for one callback, with what Claude tells with every event. */
export function hookCall({ event, callbackId }: Hook, session: LiveSession, told: Fields): Fields {
  const isOfSession = event === 'SessionStart' || event === 'SessionEnd';
  const input = {
    session_id: session.id,
    cwd: session.cwd,
    ...(isOfSession ? {} : { permission_mode: session.settings.permissionMode }),
    hook_event_name: event,
    ...told,
  };
  const { tool_use_id: id } = told;
  const ofTool = id === undefined ? {} : { tool_use_id: id };
  return { subtype: 'hook_callback', callback_id: callbackId, input, ...ofTool };
}

/** Tells the client of an event, and waits for its answer. What that adds for the model is ignored: there is none. */
export async function tellHooks(
  session: LiveSession,
  event: HookEvent,
  told: Fields,
  signal: AbortSignal,
): Promise<void> {
  const { tool_name: tool } = told;
  const name = typeof tool === 'string' ? tool : undefined;
  for (const hook of hooksFor(session.settings.hooks, event, name))
    await session.client.ask(hookCall(hook, session, told), signal);
}

/** Tells the client that the process ends. It can't answer any more: stdin has ended. */
export async function tellEnd(session: LiveSession): Promise<void> {
  for (const hook of hooksFor(session.settings.hooks, 'SessionEnd'))
    await session.client.tell(hookCall(hook, session, { reason: 'other' }));
}

/** Tells the client of the tools of a turn and of its answer. */
export function watchByClient(session: LiveSession, signal: AbortSignal): TurnWatcher {
  return {
    async toolRan(tool, input, toolUseId, outcome) {
      const use = { tool_name: tool, tool_input: input, tool_use_id: toolUseId };
      const event = outcome.isError ? 'PostToolUseFailure' : 'PostToolUse';
      await tellHooks(session, event, { ...use, ...resultOf(tool, outcome) }, signal);
    },
    async answered(text) {
      const told = { stop_hook_active: false, last_assistant_message: text };
      await tellHooks(session, 'Stop', told, signal);
    },
  };
}

/** As with Claude, a command's result has its output in a field; the other tools' is the text alone here. */
function resultOf(tool: ToolName, { text, isError }: ToolOutcome): Fields {
  if (isError) return { error: text, is_interrupt: false };
  if (tool !== 'Bash') return { tool_response: text };
  return { tool_response: { stdout: text, stderr: '', interrupted: false, isImage: false } };
}
