import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type CrashRun, faults, live, outcome, prepare } from './crash-runs.js';
import { setUpDeliver } from './stage.js';

const pauses = [0, 10 * 60_000];

/** Runs every fault with a crash before each of the steps, each at once and ten minutes later: the outcomes, in words. */
export async function crashTable(steps: readonly number[]): Promise<(fault: string, step: number) => string> {
  const stage = await setUpDeliver({ rateLimitScale: 0.001 });
  await writeFile(join(stage.workTree, 'turnout.txt'), 'a file');
  const outcomes: Record<string, string>[] = [];
  for (const pause of pauses) {
    const runs: CrashRun[] = [];
    for (const fault of Object.keys(faults)) {
      for (const step of steps) runs.push(await prepare(stage, fault, [step]));
    }
    await Promise.all(runs.map((run) => live(stage, run, run.crashes[0])));
    stage.discord.clock.advance(pause);
    await Promise.all(runs.map((run) => live(stage, run)));
    outcomes.push(
      Object.fromEntries(runs.map((run) => [`${run.fault} ${run.crashes}`, outcome(stage, run)])),
    );
  }
  expect(stage.discord.violations.filter(({ rule }) => rule !== 'rate-limit')).toEqual([]);
  return (fault, step) => outcomes.map((all) => all[`${fault} ${step}`]).join(' / ');
}
