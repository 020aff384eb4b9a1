import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { sweepScratchFiles } from '../backends/launch/scratch-files.js';
import { backendNames } from '../backends/registry.js';
import { readEnvironment } from '../config/read-environment.js';
import { errorEvent } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';
import { backendConfig, type GatewayConfig, loadConfig } from '../gateway/config.js';
import { endOrphans } from '../process/end-orphans.js';
import { exitCodeFor, exitCodes } from './exit-codes.js';
import { readPrompt } from './read-prompt.js';
import { readSystemPrompt } from './read-system-prompt.js';
import { type OutputFormat, parseRunOptions, type RunFlags } from './run-options.js';
import { sessionTurn } from './session-turn.js';
import { showTurn } from './show-turn.js';

export const usageText = `Usage: turnout run [prompt] [options] [-- <arguments for the CLI itself>]

One turn with an agent. Without a prompt it is read from stdin; with a prompt and piped stdin
the agent gets both, the prompt first. A prompt that begins with "-": --prompt=… or stdin.

Tools are allowed without asking unless --permission-mode says otherwise: this is made for
unattended runs. Run it where the agent may do what it likes.

  --backend <name>            ${backendNames().join(', ')} (default: AGENT_BACKEND, else claude)
  --model <model>             the model to use
  --thinking <depth>          how deep the model thinks: off, low, medium, high, xhigh, max
                              (each CLI its own of these), or a number of tokens (claude)
  --cwd <directory>           where the agent works (default: WORKING_DIR, else here)
  --system-prompt <text>      added to the agent's own system prompt
  --system-prompt-file <file> the same, from a file
  --resume <session id>       go on with an earlier session
  --continue                  go on with the session that was used last in this directory
  --max-turns <n>             limit of model turns (claude)
  --allowed-tools <a,b>       only these tools (claude, opencode)
  --disallowed-tools <a,b>    not these tools (claude, opencode)
  --mcp-config <file>         MCP servers, in Claude's format (claude, codex, opencode)
  --live                      over the CLI's long-lived protocol: every CLI streams piece by piece
  --permission-mode <mode>    bypass, ask (in this terminal; implies --live), edits, plan
                              (default: PERMISSION_MODE, else bypass)
  --permission-timeout <s>    deny what nobody answered for this long (default: 300)
  --timeout <seconds>         end the turn after this long
  --output <format>           text (default), json, stream-json
  --prompt <text>             the prompt, when it looks like an option
  --verbose                   the backend, the options and the exact command, on stderr

Exit codes: 0 done · 1 the agent failed · 2 wrong usage · 3 backend not available ·
4 not supported by this backend · 124 timed out · 130 interrupted
`;

/** `turnout run`: runs one turn, with the answer on stdout and everything else on stderr. */
export async function main(argv: readonly string[]): Promise<number> {
  let output: OutputFormat = 'text';
  try {
    const options = parseRunOptions(argv);
    if (options === 'help') {
      process.stdout.write(usageText);
      return 0;
    }
    output = options.output;
    return await runTurn(options);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    process.stderr.write(`turnout: ${error.explanation}\n`);
    process.stdout.write(failureIn(output, error));
    return error.code === 'bad_request' ? exitCodes.usage : exitCodeFor(error.code);
  }
}

/** Prints the failure in the machine format that was asked for, even if no turn was begun. */
function failureIn(output: OutputFormat, { code, message }: TurnoutError): string {
  if (output === 'text') return '';
  const failure =
    output === 'json'
      ? { responseText: message, isError: true, error: { code, message } }
      : errorEvent(code, message);
  return `${JSON.stringify(failure)}\n`;
}

async function runTurn(options: RunFlags): Promise<number> {
  const flags = options.cwd === undefined ? {} : { WORKING_DIR: options.cwd };
  const { settings, inherited, origins, warnings } = await readEnvironment({
    environment: process.env,
    flags,
  });
  const config = loadConfig(settings, options, origins);
  if (!statSync(config.workingDir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new TurnoutError('bad_request', `The working directory ${config.workingDir} is not there.`, {
      hint: 'Choose another one with --cwd or WORKING_DIR.',
    });
  }
  const swept = sweepAfterCrash(config);
  for (const warning of [...warnings, ...config.warnings]) process.stderr.write(`turnout: ${warning}\n`);
  const prompt = await readPrompt(options.prompt, process.stdin, {
    say: (line) => process.stderr.write(`turnout: ${line}\n`),
    timeoutMs: options.timeoutMs ?? config.queryTimeoutMs,
  });
  const { permissionMode = config.permissionMode, timeoutMs, permissionTimeoutMs: permissionMs } = options;
  const turn = sessionTurn(prompt, {
    backend: config.agentBackend,
    config: backendConfig(config, inherited),
    // A permission can be asked only in a live session: a one-shot CLI has ended its turn by then.
    live: options.live || permissionMode === 'ask',
    systemPrompt: readSystemPrompt(options),
    sessionId: options.sessionId,
    continueLast: options.continueLast,
    thinking: options.thinking,
    maxTurns: options.maxTurns,
    allowedTools: options.allowedTools,
    disallowedTools: options.disallowedTools,
    mcpConfig: options.mcpConfig === undefined ? undefined : resolve(options.mcpConfig),
    permissionMode,
    stream: options.output !== 'json',
    rawArgs: options.rawArgs,
    clocks: {
      ...config.clocks,
      ...(timeoutMs === undefined ? {} : { turnMs: timeoutMs }),
      ...(permissionMs === undefined ? {} : { permissionMs }),
    },
  });
  const exitCode = await showTurn(turn, {
    output: options.output,
    verbose: options.verbose,
    logLevel: config.logLevel,
  });
  await swept;
  return exitCode;
}

/** Ends the agents that a killed Turnout left running, and removes their files. */
async function sweepAfterCrash({ home }: GatewayConfig): Promise<void> {
  const swept = sweepScratchFiles({ TURNOUT_HOME: home });
  await Promise.all([endOrphans({ home }), swept]).catch(() => undefined);
}
