import { type Environment, homeDirectory } from '../../config/home-directory.js';
import { endOrphans } from '../../process/end-orphans.js';
import { sweepScratchFiles } from './scratch-files.js';

/**
 * Ends the agents that a killed program has left running, and removes their files. `env` is the environment of the agents: it names the
 * home. Calls at the same time share one sweep. Never rejects.
 */
export async function sweepAfterCrash(env: Environment): Promise<void> {
  const home = homeOf(env);
  if (home === undefined) return;
  const swept = sweeping.get(home) ?? sweep(home);
  sweeping.set(home, swept);
  await swept;
  if (sweeping.get(home) === swept) sweeping.delete(home);
}

/** The same beside a turn: what was left can wait until the CLI of this one has been started, and takes its time to start. */
export function sweepBeside(env: Environment): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(sweepAfterCrash(env)));
  });
}

async function sweep(home: string): Promise<void> {
  const files = sweepScratchFiles({ TURNOUT_HOME: home });
  await Promise.all([endOrphans({ home, quick: true }), files]).catch(() => undefined);
}

/** Without a home there is no mark by which an orphan could be known. */
function homeOf(env: Environment): string | undefined {
  try {
    return homeDirectory(env);
  } catch {
    return undefined;
  }
}

const sweeping = new Map<string, Promise<void>>();
