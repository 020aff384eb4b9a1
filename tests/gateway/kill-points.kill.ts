import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, it } from 'vitest';
import { journalPoints } from '../../src/gateway/journal-points.js';
import { expectNothingLost } from './kill/expect-nothing-lost.js';
import { killPage, type Result } from './kill/kill-page.js';
import { runScenario } from './kill/run-scenario.js';
import { killPoint } from './kill/scenarios.js';

const page = fileURLToPath(new URL('../../docs/kill-points.md', import.meta.url));

describe.runIf(process.platform === 'linux')('a gateway that is killed under load', () => {
  const results = new Map<string, Result>();

  const moments = [...journalPoints, 'any'] as const;

  for (const point of moments) {
    it.concurrent(`at ${point}: every message is answered once, in order, and nothing is left`, async () => {
      const chosen = killPoint(point);
      const outcome = await runScenario(chosen);
      expectNothingLost(chosen, outcome);
      results.set(point, { killPoint: chosen, outcome });
    });
  }

  afterAll(() => {
    const inOrder = moments.flatMap((point) => results.get(point) ?? []);
    if (inOrder.length < moments.length) return;
    const text = killPage(inOrder);
    if (text !== readOrNothing(page)) writeFileSync(page, text);
  });
});

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
