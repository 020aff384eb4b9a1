import { codexSdk } from '../backends/names.js';
import { backendNames, findBackendName, guessBackendName } from '../backends/registry.js';
import { shortBackendName } from '../config/formats.js';
import { distance } from '../core/distance.js';
import { TurnoutError } from '../core/errors.js';
import type { RunnerName } from './types.js';

export { codexSdk };

/** The backends, and the SDK that can be used in place of one. */
export function runnerNames(): readonly RunnerName[] {
  return [...new Set([...backendNames(), codexSdk])];
}

/** Finds the runner that a person means: `Codex-CLI` is `codex`. */
export function findRunnerName(written: string): RunnerName | undefined {
  return findBackendName(written) ?? (shortBackendName(written) === codexSdk ? codexSdk : undefined);
}

/** The CLI whose own settings a runner obeys: the SDK starts Codex. */
export function settingsOwner(name: RunnerName): RunnerName {
  return name === codexSdk ? 'codex' : name;
}

/** Finds it, or throws: the error begins with the flag or the setting that the name came from. */
export function readRunnerName(written: string, source?: string): RunnerName {
  const name = typeof written === 'string' ? findRunnerName(written) : undefined;
  if (name !== undefined) return name;
  const from = source === undefined ? '' : `${source}: `;
  throw new TurnoutError('bad_request', `${from}${unknownRunner(written)}`);
}

/** Says that there is no such runner, which there are, and which may be meant. */
export function unknownRunner(written: string): string {
  const guess = guessRunnerName(String(written));
  const meant = guess === undefined ? '' : ` Did you mean ${guess}?`;
  return `Unknown backend ${JSON.stringify(written)}. Valid backends: ${runnerNames().join(', ')}.${meant}`;
}

function guessRunnerName(written: string): RunnerName | undefined {
  const name = written.trim().toLowerCase();
  // `@openai/codex-sdk` is the name that npm has for it.
  if (/\bcodex[-_ ]?sdk$/.test(name) || distance(name, codexSdk) <= 2) return codexSdk;
  return guessBackendName(written);
}
