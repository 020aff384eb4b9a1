import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../gateway/kill/seeded.js';
import { type CrashRun, faults, live, outcome, prepare, steps } from './crash-runs.js';
import { crashTable } from './crash-table.js';
import { setUpDeliver } from './stage.js';

const tenMinutes = 10 * 60_000;

describe('a gateway that dies while it answers in Discord (17.6)', () => {
  it('loses no piece and sends none twice, with every fault', async () => {
    // Where something is under way; `npm run test:kill` has all steps.
    const chosen = ['send 1', 'note that 1 is sent', 'note that 2 is sent', 'record in the outbox'] as const;
    const places = chosen.map((step) => steps.indexOf(step));
    const cell = await crashTable(places);
    for (const fault of Object.keys(faults)) {
      for (const place of places) expect(cell(fault, place), `${fault}: ${steps[place]}`).toBe('once / once');
    }
  });

  it('also when it dies several times, at any steps', async () => {
    const stage = await setUpDeliver({ rateLimitScale: 0.001 });
    await writeFile(join(stage.workTree, 'turnout.txt'), 'a file');
    const random = seeded(17);
    const names = Object.keys(faults);
    const any = (count: number) => Math.floor(random() * count);
    const runs: CrashRun[] = [];
    for (let i = 0; i < 25; i++) {
      const crashes = Array.from({ length: 4 }, () => any(steps.length));
      runs.push(await prepare(stage, names[any(names.length)] ?? 'none', crashes));
    }
    for (let life = 0; life < 4; life++) {
      await Promise.all(runs.map((run) => live(stage, run, run.crashes[life])));
      if (life % 2 === 0) stage.discord.clock.advance(tenMinutes);
    }
    await Promise.all(runs.map((run) => live(stage, run)));
    for (const run of runs) expect(outcome(stage, run), `${run.fault} ${run.crashes}`).toBe('once');
  });
});
