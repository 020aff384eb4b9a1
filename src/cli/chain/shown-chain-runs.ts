import type { ChainRun, ChainRuns } from '../../gateway/channels/lookups.js';
import { hasRun, listRuns, readRun } from '../../orchestra/runs.js';
import type { StepReport } from '../../orchestra/types.js';

/** Longer journals are shown in a terminal: to read one takes the gateway's time. */
const maxJournalBytes = 32 * 1024 * 1024;
const maxOutput = 64 * 1024;

/** The runs of chains in these homes, as the gateway shows them. `warn` is told of runs that can't be read. */
export function shownChainRuns(homes: readonly string[], warn: (message: string) => void): ChainRuns {
  const told = new Set<string>();
  const warnOnce = (message: string): void => {
    if (told.has(message)) return;
    told.add(message);
    warn(message);
  };
  return {
    list: async (limit) => {
      const runs = await Promise.all(homes.map((home) => listRuns(home, warnOnce, limit)));
      // Ids begin with the time.
      return runs
        .flat()
        .sort((one, other) => (one.runId < other.runId ? 1 : -1))
        .slice(0, limit);
    },
    read: async (runId) => {
      const home = homes.find((one) => hasRun(one, runId));
      if (home === undefined) return undefined;
      const { report, startedAt, endedAt } = await readRun(home, runId, maxJournalBytes);
      const { chain, status, steps } = report;
      return { runId, chain, status, startedAt, endedAt, steps: steps.map(shownStep) };
    },
  };
}

function shownStep({ sessionId: _, output, ...step }: StepReport): ChainRun['steps'][number] {
  const left = output.length - maxOutput;
  // The end of an output says how it ended.
  const shown = left <= 0 ? output : `… (${left} characters left out)\n${output.slice(left)}`;
  return { ...step, output: shown };
}
