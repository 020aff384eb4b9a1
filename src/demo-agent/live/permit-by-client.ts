import type { Agent } from '../agent.js';
import { type Permission, type Permit, refusal, verdictOf } from '../permissions.js';
import type { ToolInput, ToolName } from '../step.js';
import { hookCall } from './call-hooks.js';
import { hooksFor, opinionIn } from './hooks.js';
import { type Fields, fieldsOf } from './read-messages.js';
import type { LiveSession } from './session.js';

interface Use {
  readonly tool: ToolName;
  readonly input: ToolInput;
  readonly toolUseId: string;
}

/** The client's hooks decide first, then the mode; if that says "ask", the client decides, about the input that the hooks left. */
export function permitByClient(session: LiveSession, agent: Agent, signal: AbortSignal): Permit {
  return async (tool, given, toolUseId) => {
    const hooked = await askHooks({ tool, input: given, toolUseId }, session, signal);
    if (hooked.type !== 'undecided') return hooked;
    const { input, asks } = hooked;
    const { permissionMode, allowed } = session.settings;
    const verdict = asks ? 'ask' : verdictOf(tool, permissionMode, allowed);
    if (verdict === 'allow') return { type: 'allow', input };
    if (verdict === 'deny' || !agent.options.asksClient) return refusal(tool, input, permissionMode);
    return askClient({ tool, input, toolUseId }, session, signal);
  };
}

interface Undecided {
  readonly type: 'undecided';
  /** The tool's input, with the changes of the hooks. */
  readonly input: ToolInput;
  /** True if a hook wants the client to be asked. */
  readonly asks: boolean;
}

async function askHooks(
  { tool, input: given, toolUseId }: Use,
  session: LiveSession,
  signal: AbortSignal,
): Promise<Permission | Undecided> {
  let input = given;
  let asks = false;
  for (const hook of hooksFor(session.settings.hooks, 'PreToolUse', tool)) {
    const told = { tool_name: tool, tool_input: input, tool_use_id: toolUseId };
    const reply = await session.client.ask(hookCall(hook, session, told), signal);
    if (reply.type === 'stopped') return stopped;
    if (reply.type === 'failed') continue;
    const { decision, reason, updatedInput } = opinionIn(reply.answer);
    if (decision === 'deny') return { type: 'deny', message: `PreToolUse:${tool} hook error: ${reason}` };
    input = inputFrom(updatedInput, input);
    if (decision === 'allow') return { type: 'allow', input };
    asks ||= decision === 'ask';
  }
  return { type: 'undecided', input, asks };
}

async function askClient(use: Use, session: LiveSession, signal: AbortSignal): Promise<Permission> {
  const { tool, input, toolUseId } = use;
  const reply = await session.client.ask(
    {
      subtype: 'can_use_tool',
      tool_name: tool,
      display_name: tool,
      input,
      description: String(input['file_path'] ?? input['command'] ?? ''),
      permission_suggestions: [suggestionFor(tool)],
      tool_use_id: toolUseId,
    },
    signal,
  );
  if (reply.type === 'stopped') return stopped;
  if (reply.type === 'failed')
    return { type: 'deny', message: `Tool permission request failed: ${reply.error}` };
  const { behavior, updatedInput, updatedPermissions, message, interrupt } = reply.answer;
  if (behavior === 'allow') {
    await remember(updatedPermissions, session);
    return { type: 'allow', input: inputFrom(updatedInput, input) };
  }
  if (behavior !== 'deny' || typeof message !== 'string') return { type: 'deny', message: notUnderstood };
  return interrupt === true ? { ...stopped, message } : { type: 'deny', message };
}

const stopped = { type: 'deny', message: '', by: 'interrupt' } as const;

const notUnderstood =
  "The canUseTool callback returned an invalid permission result. Expected {behavior: 'allow', updatedInput?: object} or {behavior: 'deny', message: string}.";

/** As with Claude, the suggestion is a mode for edits and a rule for commands. */
function suggestionFor(tool: ToolName): Fields {
  return tool === 'Write' || tool === 'Edit'
    ? { type: 'setMode', mode: 'acceptEdits', destination: 'session' }
    : { type: 'addRules', rules: [{ toolName: tool }], behavior: 'allow', destination: 'session' };
}

/** Remembers a permanent permission, so that it is not asked for again in this process. */
async function remember(updates: unknown, session: LiveSession): Promise<void> {
  const { settings } = session;
  for (const update of Array.isArray(updates) ? updates.slice(0, maxUpdates).map(fieldsOf) : []) {
    const { type, mode, rules, behavior } = update;
    if (type === 'setMode' && mode === 'acceptEdits' && settings.permissionMode !== mode) {
      settings.permissionMode = mode;
      await session.tellMode();
    }
    if (type !== 'addRules' || behavior !== 'allow' || !Array.isArray(rules)) continue;
    for (const { toolName, ruleContent } of rules.slice(0, maxUpdates).map(fieldsOf)) {
      // A rule about some uses of a tool is ignored: this agent does not understand it.
      if (ruleContent === undefined && settings.allowed.size < maxUpdates)
        settings.allowed.add(String(toolName));
    }
  }
}

const maxUpdates = 100;

function inputFrom(updated: unknown, input: ToolInput): ToolInput {
  return typeof updated === 'object' && updated !== null ? { ...updated } : input;
}
