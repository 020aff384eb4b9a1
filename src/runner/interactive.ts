import { isatty } from 'node:tty';
import { childEnvironment } from '../backends/launch/child-environment.js';
import { traceOfProcess } from '../backends/launch/harmless-trace.js';
import {
  removeScratchFiles,
  removeScratchFilesNow,
  writeScratchFiles,
} from '../backends/launch/scratch-files.js';
import { sweepAfterCrash } from '../backends/launch/sweep-after-crash.js';
import type { BackendAdapterConfig } from '../backends/types.js';
import { redactVariables } from '../config/redact.js';
import { TurnoutError } from '../core/errors.js';
import { visible } from '../core/text.js';
import { killAtExit } from '../process/kill-at-exit.js';
import { runInTerminal } from '../process/run-in-terminal.js';
import { exitCodeOf } from '../process/start-process.js';
import { checkOptions } from './check-options.js';
import { describeInteractive, refuseWithoutUi } from './describe-interactive.js';
import type { InteractiveResult, RunnerName, RunnerOptions } from './types.js';

/**
 * Starts the CLI's own terminal UI on this process's stdin, stdout and stderr, and waits for its end. Rejects with a
 * TurnoutError before anything is started. What was left out because of `allowUnsupported` is told on stderr.
 */
export async function runInteractive(
  name: RunnerName,
  given: RunnerOptions,
  config: BackendAdapterConfig,
): Promise<InteractiveResult> {
  if (given.mode === 'print')
    throw new TurnoutError('bad_request', 'A terminal UI can\'t be run in the mode "print".', {
      hint: 'Use runOnce or runStreaming (`turnout run`).',
    });
  refuseWithoutUi(name);
  const { options, warnings } = await checkOptions(name, given, 'interactive');
  const start = await describeInteractive(name, options, config);
  refuseWithoutTerminal(name);
  const { command, args, cwd, env: added, scratch, files } = await start.locate();
  for (const warning of [...warnings, ...start.warnings])
    process.stderr.write(`turnout: ${visible(warning)}\n`);
  const swept = sweepAfterCrash(config.env ?? process.env);
  const removeNow = killAtExit(() => removeScratchFilesNow(scratch));
  const trace = traceOfProcess(options.trace);
  try {
    await start.prepare();
    if (files.length > 0) await writeScratchFiles(scratch, files, config.user);
    const shown = childEnvironment({}, added);
    trace?.({ type: 'spawn', command, args, cwd, env: redactVariables(shown) });
    const env = childEnvironment(config.env ?? process.env, added);
    const exit = await runInTerminal({ command, args, cwd, env, user: config.user, signal: options.signal });
    trace?.({ type: 'exit', ...exit, stderr: '' });
    return { exitCode: exitCodeOf(exit) };
  } finally {
    if (files.length > 0) await removeScratchFiles(scratch);
    removeNow();
    await swept;
  }
}

function refuseWithoutTerminal(name: RunnerName): void {
  const missing = [isatty(0) ? [] : ['stdin'], isatty(1) ? [] : ['stdout']].flat();
  if (missing.length === 0) return;
  const verb = missing.length === 1 ? 'is' : 'are';
  throw new TurnoutError(
    'bad_request',
    `${missing.join(' and ')} ${verb} not a terminal: ${name} has no place for its own UI.`,
    {
      hint: 'Start it in a terminal, or use `turnout run`, which needs none.',
    },
  );
}
