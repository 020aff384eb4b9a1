import { findAvailability } from './availability.js';
import { runnerCapabilities } from './capabilities.js';
import { runTurn } from './run-turn.js';
import { type RunnerDefaults, runnerBackend, runnerConfig } from './runner-config.js';
import { readRunnerName } from './runner-names.js';
import type { AgentRunner } from './types.js';

/**
 * The runner of that name, as a person may write it (`codex`, `Codex-CLI`, `codex-sdk`). Nothing is started or looked for
 * until it is used; without defaults the CLI is looked up on PATH and works in the current directory.
 *
 * @param backend Its name. Default: `claude`.
 * @param defaults The settings of this runner; each one that is left out has a default.
 */
export function createRunner(backend = 'claude', defaults?: RunnerDefaults): AgentRunner {
  const name = readRunnerName(backend);
  const config = runnerConfig(name, defaults);
  const runner = { name, config, backend: runnerBackend(name, config) };
  return {
    name,
    isAvailable: async () => (await findAvailability(runner)).available,
    availability: () => findAvailability(runner),
    capabilities: () => runnerCapabilities(name),
    runStreaming: (options, callbacks) => runTurn(runner, options, callbacks),
    async runOnce(options) {
      const { markerDetected: _, ...result } = await runTurn(runner, options);
      return result;
    },
    async runInteractive(options) {
      const { runInteractive } = await import('./interactive.js');
      return runInteractive(name, options, config);
    },
  };
}
