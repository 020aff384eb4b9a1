import type { RuntimeReport } from '../agent-runtime.js';
import type { RunningTurn } from './running-turn.js';
import { untoldTools } from './untold-tools.js';
import type { WorkerParts } from './worker-parts.js';

/**
 * An agent that fails on a full disk may have had no room for its answer, whatever it says: it is tried again. As long as
 * the disk is full without its own output too, that counts as no attempt.
 */
export async function afterFullDisk(
  report: RuntimeReport,
  { journal }: Pick<RunningTurn, 'journal'>,
  { outputs, ballast }: Pick<WorkerParts, 'outputs' | 'ballast'>,
): Promise<RuntimeReport> {
  const { ending } = report;
  const mayLackRoom = ending.type === 'error' && ['crashed', 'parse'].includes(ending.code);
  // The notes of this turn may have been given the ballast's room, after the agent found none.
  const wasFull = mayLackRoom && (ballast.released || (await outputs.isDiskFull()));
  await journal.giveSpaceBack();
  if (!wasFull) return report;
  const isFull = (ballast.released && !(await ballast.restore())) || (await outputs.isDiskFull());
  return { ...report, ending: { ...ending, retryable: true, ...(isFull ? { shortage: true } : {}) } };
}

/** A session is not to blame for a full disk, nor if it has begun tools. */
export async function afterFailedResume(
  { attempt, asked }: Pick<RunningTurn, 'attempt' | 'asked'>,
  { outputs, ballast, runtime, now }: Pick<WorkerParts, 'outputs' | 'ballast' | 'runtime' | 'now'>,
): Promise<'repeat' | 'forget' | 'keep'> {
  if (attempt.begun.length > 0 || ballast.released || (await outputs.isDiskFull())) return 'keep';
  const found = await untoldTools(attempt, asked, now(), runtime.agents);
  if (found === undefined) return 'repeat';
  return found.begun.length > 0 || found.neverTold ? 'keep' : 'forget';
}
