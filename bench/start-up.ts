import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Comparison, median, milliseconds } from './report.js';

const rounds = 30;
const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const empty = fileURLToPath(new URL('./programs/empty.mjs', import.meta.url));

/** `turnout --version` against a Node program that does nothing. */
export async function measureStartUp(): Promise<readonly Comparison[]> {
  const ours: number[] = [];
  const floor: number[] = [];
  for (let i = 0; i < rounds; i++) {
    floor.push(timed([empty]));
    ours.push(timed([program, '--version']));
  }
  const ratio = median(ours) / median(floor);
  return [
    {
      name: '`turnout --version`',
      ours: milliseconds(median(ours)),
      other: `an empty Node program ${milliseconds(median(floor))}`,
      ratio,
      goal: 'at most 2',
      met: ratio <= 2,
    },
  ];
}

function timed(args: readonly string[]): number {
  const start = performance.now();
  spawnSync(process.execPath, args, { stdio: 'ignore' });
  return performance.now() - start;
}
