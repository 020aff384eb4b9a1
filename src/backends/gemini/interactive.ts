import type { InteractiveCommand, InteractiveOptions, InteractiveUi } from '../launch/interactive.js';
import { putInFront } from '../launch/prompt.js';
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
  const prompt = firstPrompt(options);
  // Joined to its option, a prompt that begins with a dash stays one.
  if (prompt !== undefined) args.push(`--prompt-interactive=${prompt}`);
  return { args };
}

/** Gemini can't append to its own system prompt: ours goes in front of the first prompt, or is the first one. */
function firstPrompt({ prompt, systemPrompt }: InteractiveOptions): string | undefined {
  if (systemPrompt === '') return prompt;
  return putInFront(systemPrompt, prompt ?? 'Follow these instructions from now on. Wait for my first task.');
}
