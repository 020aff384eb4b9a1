import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { faults, steps } from './crash-runs.js';
import { crashTable } from './crash-table.js';
import { faultPage } from './fault-page.js';

const page = fileURLToPath(new URL('../../../docs/discord-faults.md', import.meta.url));

it('a gateway that dies at any step of an answer in Discord loses no piece and sends none twice (17.6)', async () => {
  const cell = await crashTable([...steps.keys()]);
  for (const fault of Object.keys(faults)) {
    for (const [place, step] of steps.entries())
      expect(cell(fault, place), `${fault}: ${step}`).toBe('once / once');
  }
  const text = faultPage(cell);
  const before = await readFile(page, 'utf8').catch(() => '');
  if (text !== before) await writeFile(page, text);
});
