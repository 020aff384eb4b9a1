import { once } from 'node:events';
import type { TreeChange } from '../../store/rows.js';
import type { RunningTurn } from './running-turn.js';
import type { Settlement, TurnStop } from './verdicts.js';

/** Resolves when the tree before the turn is known, or can't be, or has been waited for long enough, or the turn is to end. */
export async function treeTaken({ trees, stopping }: RunningTurn): Promise<void> {
  if (trees === undefined || trees.isTaken || stopping.aborted) return;
  const waited = new AbortController();
  const stopped = once(stopping, 'abort', { signal: waited.signal }).catch(() => undefined);
  await Promise.race([trees.wait(), stopped]);
  waited.abort();
}

/** A turn without a tool has changed nothing. */
export async function changesOf(
  { attempt, trees }: RunningTurn,
  stop: TurnStop | undefined,
): Promise<TreeChange | undefined> {
  if (attempt.tools.length === 0 || stop?.type === 'lost_lease') return undefined;
  return trees?.end();
}

export function withChanges(settlement: Settlement, changes: TreeChange | undefined): Settlement {
  if (changes === undefined) return settlement;
  return settlement.type === 'finish'
    ? { ...settlement, outcome: { ...settlement.outcome, changes } }
    : { ...settlement, retry: { ...settlement.retry, changes } };
}
