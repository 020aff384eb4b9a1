import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { VendorName } from '../../src/backends/names.js';
import { type FaceName, faceNames } from '../../src/lab/faces.js';
import { runScenarios, type ScenarioResult } from '../../src/lab/run-scenarios.js';
import type { Scenario } from '../../src/lab/scenario.js';
import { scenarios as allScenarios } from '../../src/lab/scenarios/table.js';

const turnout = [
  process.execPath,
  join(fileURLToPath(new URL('../..', import.meta.url)), 'dist/cli/main.js'),
];

export interface InstalledCli {
  readonly name: VendorName;
  readonly version: string;
  readonly path: string;
}

export interface VettedCli extends InstalledCli {
  readonly results: readonly ScenarioResult[];
}

export interface Vetting {
  /** Default: all. */
  readonly scenarios?: readonly Scenario[];
  /** Default: all. */
  readonly faces?: readonly FaceName[];
  /** The number of retries of a failed scenario. Default: 0. */
  readonly retries?: number;
}

/** Drives each CLI through the scenarios, two at a time, and prints each result as it comes. */
export async function vet(
  clis: readonly InstalledCli[],
  { scenarios = allScenarios, faces = faceNames, retries = 0 }: Vetting = {},
): Promise<readonly VettedCli[]> {
  // The slowest one first, so that it is not left alone at the end.
  const jobs = clis.toReversed().flatMap((cli) => faces.map((face) => ({ cli, face })));
  const results = await inLanes(2, jobs, async ({ cli, face }) => ({
    cli,
    results: await runScenarios({
      cli: cli.name,
      cliPath: cli.path,
      scenarios,
      retries,
      faces: [face],
      turnout,
      onResult: print,
    }),
  }));
  return clis.map((cli) => ({
    ...cli,
    results: results.flatMap((done) => (done.cli === cli ? done.results : [])),
  }));
}

function print({ cli, scenario, face, state, milliseconds, reason }: ScenarioResult): void {
  const seconds = (milliseconds / 1000).toFixed(1).padStart(5);
  const why = state === 'passed' ? '' : `  ${reason}`;
  console.log(
    `${state.padEnd(7)} ${cli.padEnd(8)} ${scenario.padEnd(20)} ${face.padEnd(7)} ${seconds} s${why}`,
  );
}

/** Prints the failures with advice, and the counts. Returns the number of failures. */
export function summarise(vetted: readonly VettedCli[]): number {
  const results = vetted.flatMap((cli) => cli.results);
  for (const { name, version, results } of vetted) {
    for (const { face, scenario, reason, advice } of results.filter(({ state }) => state === 'failed'))
      console.log(`\nFAILED ${name} ${version} · ${scenario} (${face})\n  ${reason}\n  ${advice}`);
  }
  const count = (state: ScenarioResult['state']) => results.filter((result) => result.state === state).length;
  console.log(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
  return count('failed');
}

async function inLanes<T, R>(
  lanes: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const done: R[] = [];
  const queue = [...items.entries()];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        done[next[0]] = await work(next[1]);
    }),
  );
  return done;
}
