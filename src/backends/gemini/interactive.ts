import type { InteractiveCommand, InteractiveOptions, InteractiveUi } from '../launch/interactive.js';
import { firstMessage } from '../launch/prompt.js';
import { approvalModes } from './arguments.js';
import { keepConversation, removeStubs } from './chat-records.js';

/**
 * Gemini's own terminal UI, measured with 0.61.0. It runs as a child of a launcher, which starts it anew when a setting asks
 * for that (exit code 199), and with more memory: unlike in a one-shot turn, that stays as it is.
 */
export const geminiInteractive: InteractiveUi = {
  capabilities: {
    maxTurns: false,
    allowedTools: false,
    disallowedTools: false,
    mcpConfig: false,
    permissionModes: ['bypass', 'ask', 'edits', 'plan'],
  },
  command: interactiveCommand,
  async prepare({ sessionId }, { inherited, ownFiles }) {
    if (!ownFiles) return;
    if (sessionId !== undefined) await keepConversation(sessionId, inherited);
    await removeStubs(inherited);
  },
};

function interactiveCommand(options: InteractiveOptions): InteractiveCommand {
  const { model, sessionId, permissionMode } = options;
  const args: string[] = [];
  if (permissionMode !== undefined) args.push('--approval-mode', approvalModes[permissionMode]);
  if (model) args.push('--model', model);
  if (sessionId !== undefined) args.push('--resume', sessionId);
  args.push(...options.rawArgs);
  // Gemini can't append to its own system prompt.
  const prompt = firstMessage(options.systemPrompt, options.prompt);
  // Joined to its option, a prompt that begins with a dash stays one.
  if (prompt !== undefined) args.push(`--prompt-interactive=${prompt}`);
  return { args };
}
