import { readFileSync } from 'node:fs';
import { createBackend } from '../backends/registry.js';
import type { RunRequest } from '../backends/types.js';
import { TurnoutError } from '../core/errors.js';
import { backendConfig, loadConfig } from '../gateway/config.js';
import { exitCodeFor } from './exit-codes.js';
import { readEnvironment } from './read-environment.js';
import { readPrompt } from './read-prompt.js';
import { parseRunOptions, type RunOptions, settingsFrom } from './run-options.js';
import { showTurn } from './show-turn.js';
import { usage } from './usage.js';

/** `turnout run`: one turn, the answer on stdout, everything else on stderr. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const options = parseRunOptions(argv);
    if (options === 'help') {
      process.stdout.write(usage('run'));
      return 0;
    }
    return await runTurn(options);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    process.stderr.write(`turnout: ${error.explanation}\n`);
    return error.code === 'bad_request' ? 2 : exitCodeFor(error.code);
  }
}

async function runTurn(options: RunOptions): Promise<number> {
  const environment = readEnvironment(process.cwd(), process.env);
  const config = loadConfig(settingsFrom(options, environment));
  for (const warning of config.warnings) process.stderr.write(`turnout: ${warning}\n`);
  const prompt = await readPrompt(options.prompt, process.stdin, (line) =>
    process.stderr.write(`turnout: ${line}\n`),
  );
  const adapterConfig = backendConfig(config, { ...process.env, TURNOUT_HOME: config.home });
  const request: RunRequest = {
    prompt,
    systemPrompt: systemPromptOf(options),
    sessionId: options.resume,
    maxTurns: options.maxTurns,
    allowedTools: options.allowedTools,
    disallowedTools: options.disallowedTools,
    mcpConfig: options.mcpConfig,
    permissionMode: options.permissionMode,
    timeoutMs: options.timeoutMs,
    stream: options.output !== 'json',
    rawArgs: options.rawArgs,
  };
  const show = { output: options.output, verbose: options.verbose };
  if (options.live || options.permissionMode === 'ask') {
    const { liveTurn } = await import('./run-live.js');
    return showTurn(liveTurn(config.agentBackend, adapterConfig, request), show);
  }
  const backend = createBackend(config.agentBackend, adapterConfig);
  return showTurn({ backend: config.agentBackend, request, run: (run) => backend.run(request, run) }, show);
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
