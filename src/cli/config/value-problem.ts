import { readBackendName } from '../../backends/registry.js';
import { problemOf } from '../../config/settings.js';
import { TurnoutError } from '../../core/errors.js';
import { findUser } from '../../process/process-user.js';
import { readRunnerName } from '../../runner/runner-names.js';

/** Why a start would refuse this value of a setting, or pass over it; undefined if it is right. */
export function valueProblem(name: string, value: string): string | undefined {
  if (name === 'AGENT_BACKEND') return nameProblem(() => readBackendName(value));
  if (name === 'FORGE_BACKEND') return nameProblem(() => readRunnerName(value));
  if (name === 'BACKEND_MAX_TURNS')
    return /^\s*[1-9]\d{0,14}\s*$/.test(value) ? undefined : 'expected a whole number from 1 up';
  const problem = problemOf(name, value);
  if (problem !== undefined || name !== 'AGENT_USER') return problem;
  const user = findUser(value.trim());
  return 'problem' in user ? user.problem : undefined;
}

function nameProblem(read: () => string): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    return error.message;
  }
}
