import type { PermissionMode } from '../../core/permission-mode.js';
import type { InteractiveCommand, InteractiveOptions, InteractiveUi } from '../launch/interactive.js';
import { firstMessage } from '../launch/prompt.js';
import { codexThinking, mcpArguments, reasoningEffort, tomlString } from './arguments.js';
import { codexMcpServers } from './mcp-servers.js';

/** Codex's own terminal UI, measured with 0.166.0. */
export const codexInteractive: InteractiveUi = {
  capabilities: {
    maxTurns: false,
    allowedTools: false,
    disallowedTools: false,
    mcpConfig: true,
    permissionModes: ['bypass', 'ask', 'edits', 'plan'],
    thinkingDepth: codexThinking,
  },
  command: interactiveCommand,
};

function interactiveCommand(options: InteractiveOptions): InteractiveCommand {
  const { systemPrompt, model, sessionId, permissionMode, thinking } = options;
  const effort = reasoningEffort(thinking);
  const args = [...(sessionId === undefined ? [] : ['resume']), ...withoutDaemon, '--cd', options.cwd];
  if (permissionMode !== undefined) args.push(...permissionFlags[permissionMode]);
  if (model) args.push('--model', model);
  // A thread keeps the instructions that it began with: those of a later start are its first message.
  const prompt = sessionId === undefined ? options.prompt : firstMessage(systemPrompt, options.prompt);
  if (systemPrompt !== '' && sessionId === undefined)
    args.push('-c', `developer_instructions=${tomlString(systemPrompt)}`);
  if (effort !== undefined) args.push('-c', `model_reasoning_effort=${tomlString(effort)}`);
  args.push(...mcpArguments(codexMcpServers(options.mcpServers)), ...options.rawArgs);
  if (sessionId !== undefined) args.push(sessionId);
  if (prompt !== undefined) args.push('--', prompt);
  return { args };
}

/**
 * By default Codex starts a server that outlives its UI, and serves the next one with the environment of the first. With a
 * setting of our own, the UI has its server in its own process (0.166.0); an older version does not mind the name.
 */
const withoutDaemon: readonly string[] = ['-c', 'features.daemon_auto_start=false'];

/** A person is there: what `edits` and `ask` don't allow, Codex asks about. In `plan` nothing leaves the sandbox. */
const permissionFlags: Readonly<Record<PermissionMode, readonly string[]>> = {
  bypass: ['--dangerously-bypass-approvals-and-sandbox'],
  ask: ['--sandbox', 'read-only', '--ask-for-approval', 'on-request'],
  edits: ['--sandbox', 'workspace-write', '--ask-for-approval', 'on-request'],
  plan: ['--sandbox', 'read-only', '--ask-for-approval', 'never'],
};
