import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, it } from 'vitest';
import { expectNothingWrong } from './faults/expect-nothing-wrong.js';
import { type FaultResult, faultPage } from './faults/fault-page.js';
import { faults } from './faults/faults.js';
import { canFail } from './faults/faulty-libc.js';
import { runFault } from './faults/run-fault.js';
import { canMount } from './small-disk.js';

const page = fileURLToPath(new URL('../../docs/faults.md', import.meta.url));

// It needs a C compiler and the right to mount: Linux, as root.
describe.runIf(canFail && canMount)('a gateway to which something happens under load', () => {
  const results = new Map<string, FaultResult>();

  for (const fault of faults) {
    it.concurrent(`${fault.name}: every message is answered once, and nothing is left`, async () => {
      const outcome = await runFault(fault);
      expectNothingWrong(outcome);
      results.set(fault.name, { fault, outcome });
    });
  }

  afterAll(() => {
    const inOrder = faults.flatMap(({ name }) => results.get(name) ?? []);
    if (inOrder.length < faults.length) return;
    const text = faultPage(inOrder);
    if (text !== readFileSync(page, { encoding: 'utf8', flag: 'a+' })) writeFileSync(page, text);
  });
});
