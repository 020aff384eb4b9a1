import type { BackendAdapterConfig } from '../../backends/types.js';
import { late, within } from '../../core/wait.js';
import { runnerBackend } from '../../runner/runner-config.js';
import type { RunnerName } from '../../runner/types.js';
import { noteSession } from './session-index.js';

export interface Recorded {
  readonly runner: RunnerName;
  readonly config: BackendAdapterConfig;
  /** When the CLI's own user interface was opened. */
  readonly begunAt: number;
}

/** A slow disk must not keep a person waiting for the prompt of the shell. */
const patienceMs = 2000;

/**
 * Puts the session that a person has had in a CLI's own user interface into the index, by the CLI's record: the interface tells
 * nothing. One in which nothing was said has no record of that time. Never rejects.
 */
export async function noteRecorded({ runner, config, begunAt }: Recorded): Promise<void> {
  const { home, workingDir: cwd } = config;
  if (home === undefined || process.env['TURNOUT_OWNER'] !== undefined) return;
  try {
    // Gemini writes a title into the file of the session before when it begins one: its file is the newest, the session is not.
    const listed = runnerBackend(runner, config).listSessions?.(cwd, 5);
    const found = listed === undefined ? [] : await within(patienceMs, listed);
    const [last] = found === late ? [] : [...found].sort((one, other) => other.updatedAt - one.updatedAt);
    if (last === undefined || last.updatedAt < begunAt) return;
    noteSession(home, { backend: runner, sessionId: last.sessionId, cwd, prompt: last.title });
  } catch {
    // The session can be named by its id all the same.
  }
}
