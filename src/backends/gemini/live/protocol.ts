import { startCli } from '../../live/start-cli.js';
import type { DescribedContext, LiveCommand, LiveProtocol, LiveSessionOptions } from '../../live/types.js';
import { geminiAdvice } from '../advice.js';
import { removeStubs } from '../chat-records.js';
import { GeminiProcess } from './process.js';
import { retryLogVariable, withRetryLog } from './retries.js';

/** Gemini CLI over the Agent Client Protocol (S5): `gemini --acp`. Measured with 0.61.0. */
export const geminiLive: LiveProtocol = {
  sessionsPerProcess: 'many',
  advice: geminiAdvice,
  capabilities: {
    thinking: true,
    permissionModes: ['bypass', 'ask', 'edits', 'plan'],
    decisions: ['allow', 'allow_always', 'deny'],
    setModel: true,
    setPermissionMode: true,
    maxTurns: false,
    allowedTools: false,
    disallowedTools: false,
    mcpConfig: true,
    confirmTools: true,
    // Gemini has no `steer`: a second prompt cancels the running one, and its tool.
  },

  // The model and the mode belong to a session. The directory has to be the process's own: a project's `.env` goes into
  // the environment of the whole process, and `session/load` reads the settings of the directory it was started in.
  // The file of a session without a conversation is in no list, and Gemini removes it at its next start.
  opensUnseen: true,

  processKey: ({ cwd }) => cwd,

  describe,

  async start(options, context) {
    if (context.user === undefined) await removeStubs(context.env);
    const described = await describe(options, context);
    const env = await withRetryLog(described.env, context.scratch, context.user);
    const child = await startCli({ ...described, env, stdin: 'open' }, context);
    const process = new GeminiProcess(child, context);
    try {
      await process.initialize();
      return process;
    } catch (error) {
      await process.end();
      throw error;
    }
  },
};

async function describe(
  { cwd }: LiveSessionOptions,
  { env, scratch }: DescribedContext,
): Promise<LiveCommand> {
  return { args: ['--acp'], cwd, env: { ...env, ...environment, ...retryLogVariable(scratch, env) } };
}

const environment = {
  // Without the relaunch it is a second faster, and signals reach the process that works.
  GEMINI_CLI_NO_RELAUNCH: 'true',
  // The caller chose this folder, so it is trusted.
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
  // The output of a command in a pseudo-terminal is not told over ACP, so there is none.
  GEMINI_PTY_INFO: 'child_process',
};
