import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { sweepScratchFiles } from '../backends/one-shot/scratch-files.js';
import { createBackend } from '../backends/registry.js';
import type { RunRequest, RunOptions as TurnOptions } from '../backends/types.js';
import { errorEvent } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';
import { backendConfig, loadConfig } from '../gateway/config.js';
import { endOrphans } from '../process/end-orphans.js';
import { exitCodeFor, exitCodes } from './exit-codes.js';
import { readEnvironment } from './read-environment.js';
import { readPrompt } from './read-prompt.js';
import { type OutputFormat, parseRunOptions, type RunOptions, settingsFrom } from './run-options.js';
import { showTurn } from './show-turn.js';
import { usage } from './usage.js';

/** `turnout run`: one turn, the answer on stdout, everything else on stderr. */
export async function main(argv: readonly string[]): Promise<number> {
  let output: OutputFormat = 'text';
  try {
    const options = parseRunOptions(argv);
    if (options === 'help') {
      process.stdout.write(usage('run'));
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

/** Whoever reads a machine format gets the failure in it, also when no turn was begun. */
function failureIn(output: OutputFormat, { code, message }: TurnoutError): string {
  if (output === 'text') return '';
  const failure =
    output === 'json'
      ? { responseText: message, isError: true, error: { code, message } }
      : errorEvent(code, message);
  return `${JSON.stringify(failure)}\n`;
}

async function runTurn(options: RunOptions): Promise<number> {
  const environment = readEnvironment(process.cwd(), process.env);
  const config = loadConfig(settingsFrom(options, environment));
  if (!statSync(config.workingDir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new TurnoutError('bad_request', `The working directory ${config.workingDir} is not there.`, {
      hint: 'Choose another one with --cwd or WORKING_DIR.',
    });
  }
  const swept = sweepAfterCrash(config.home);
  for (const warning of config.warnings) process.stderr.write(`turnout: ${warning}\n`);
  const prompt = await readPrompt(options.prompt, process.stdin, {
    say: (line) => process.stderr.write(`turnout: ${line}\n`),
    timeoutMs: options.timeoutMs ?? config.queryTimeoutMs,
  });
  const adapterConfig = backendConfig(config, { ...process.env, TURNOUT_HOME: config.home });
  const request: RunRequest = {
    prompt,
    systemPrompt: systemPromptOf(options),
    sessionId: options.resume,
    maxTurns: options.maxTurns,
    allowedTools: options.allowedTools,
    disallowedTools: options.disallowedTools,
    mcpConfig: options.mcpConfig === undefined ? undefined : resolve(options.mcpConfig),
    permissionMode: options.permissionMode,
    timeoutMs: options.timeoutMs,
    stream: options.output !== 'json',
    rawArgs: options.rawArgs,
  };
  const show = { output: options.output, verbose: options.verbose };
  if (options.live || options.permissionMode === 'ask') {
    const { liveTurn } = await import('./run-live.js');
    const turn = liveTurn(config.agentBackend, adapterConfig, request, options.permissionTimeoutMs);
    return showTurn(turn, show);
  }
  const backend = createBackend(config.agentBackend, adapterConfig);
  const turn = {
    backend: config.agentBackend,
    request,
    run: (run: TurnOptions) => backend.run(request, run),
  };
  const exitCode = await showTurn(turn, show);
  await swept;
  return exitCode;
}

/** What a killed Turnout left: agents that still work with nobody watching, and their files. */
async function sweepAfterCrash(home: string): Promise<void> {
  await Promise.all([endOrphans(), sweepScratchFiles({ TURNOUT_HOME: home })]).catch(() => undefined);
}

function systemPromptOf(options: RunOptions): string | undefined {
  const file = options.systemPromptFile;
  if (file === undefined) return options.systemPrompt;
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new TurnoutError(
      'bad_request',
      `The system prompt file ${file} can't be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}
