import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withTables } from '../../../scripts/runner-tables.js';

it('docs/runner.md has the tables that the code runs by: `node --import tsx scripts/runner-tables.ts` (O3)', async () => {
  const page = readFileSync(new URL('../../../docs/runner.md', import.meta.url), 'utf8');
  expect(await withTables(page)).toBe(page);
});
