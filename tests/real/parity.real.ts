import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { parityPage } from '../../scripts/parity/page.js';
import { comparedWays, type ParityRow, runParity } from '../../scripts/parity/run-parity.js';
import { parityScenarios } from '../../scripts/parity/scenarios.js';

const page = fileURLToPath(new URL('../../docs/parity.md', import.meta.url));

describe('the vendor’s SDK and Turnout tell the same', () => {
  let rows: readonly ParityRow[] = [];
  beforeAll(async () => {
    rows = await runParity();
    writeFileSync(page, parityPage(rows));
  }, 180_000);

  describe.each(comparedWays)('%s', (way) => {
    it.each(parityScenarios.map(({ id }) => id))('%s', (id) => {
      const cell = rows.find(({ scenario }) => scenario.id === id)?.cells[way];
      expect(cell?.type === 'compared' ? cell.problems.join('\n') : '').toBe('');
      expect(cell).toBeDefined();
    });
  });
});
