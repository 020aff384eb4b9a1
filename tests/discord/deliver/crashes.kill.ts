import { expect, it } from 'vitest';
import { table, writeSection } from '../fault-page.js';
import { faults, steps } from './crash-runs.js';
import { crashTable } from './crash-table.js';

it('a gateway that dies at any step of an answer in Discord loses no piece and sends none twice (17.6)', async () => {
  const cell = await crashTable([...steps.keys()]);
  const names = Object.keys(faults);
  for (const fault of names) {
    for (const [place, step] of steps.entries())
      expect(cell(fault, place), `${fault}: ${step}`).toBe('once / once');
  }
  const rows = steps.map((step, place) => [step, ...names.map((fault) => cell(fault, place))]);
  const text = table(['the delivery ends before it can', ...names], rows);
  writeSection('Faults and crashes of a delivery', `${introduction}\n${text}\n\n${legend}`);
});

const introduction = `An answer of two pieces, and another one behind it, are sent. A fault meets the sending, and the delivery ends between two of its
steps, all within one process; the next one goes on with what is on disk. Each cell has two runs: the next delivery begins at once,
and ten minutes later, when Discord has forgotten the nonces.
`;

const legend = `- _before_, _after commit_: whether Discord had stored the message when the answer to it was lost.
- _413 with a file_: the second piece has a file that Discord refuses. Its text goes without it.
- _history 500_: the look into the channel's history fails, too.
`;
