import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../gateway/kill/seeded.js';
import { type CrashRun, faults, live, outcome, prepare, steps } from './crash-runs.js';
import { faultPage } from './fault-page.js';
import { setUpDeliver } from './stage.js';

const page = fileURLToPath(new URL('../../../docs/discord-faults.md', import.meta.url));
const tenMinutes = 10 * 60_000;

describe('a gateway that dies while it answers in Discord (17.6)', () => {
  it('loses no piece and sends none twice, at every step and with every fault', async () => {
    const stage = await setUpDeliver({ rateLimitScale: 0.001 });
    await writeFile(join(stage.workTree, 'turnout.txt'), 'a file');
    const outcomes: Record<string, string>[] = [];
    for (const pause of [0, tenMinutes]) {
      const runs: CrashRun[] = [];
      for (const fault of Object.keys(faults)) {
        for (const [step] of steps.entries()) runs.push(await prepare(stage, fault, [step]));
      }
      await Promise.all(runs.map((run) => live(stage, run, run.crashes[0])));
      stage.discord.clock.advance(pause);
      await Promise.all(runs.map((run) => live(stage, run)));
      outcomes.push(
        Object.fromEntries(runs.map((run) => [`${run.fault} ${run.crashes}`, outcome(stage, run)])),
      );
    }
    const text = faultPage((fault, step) => outcomes.map((all) => all[`${fault} ${step}`]).join(' / '));
    for (const all of outcomes) for (const [run, came] of Object.entries(all)) expect(came, run).toBe('once');
    expect(stage.discord.violations.filter(({ rule }) => rule !== 'rate-limit')).toEqual([]);
    if (process.env['TURNOUT_WRITE_PAGES']) await writeFile(page, text);
    expect(await readFile(page, 'utf8')).toBe(text);
  });

  it('also when it dies several times, at any steps', async () => {
    const stage = await setUpDeliver({ rateLimitScale: 0.001 });
    await writeFile(join(stage.workTree, 'turnout.txt'), 'a file');
    const random = seeded(17);
    const names = Object.keys(faults);
    const any = (count: number) => Math.floor(random() * count);
    const runs: CrashRun[] = [];
    for (let i = 0; i < 40; i++) {
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
