import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { minimumNode, tooOld } from '../../../src/cli/minimum-node.js';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

it.each(['18.20.8', '20.18.3', '16.0.0'])('Node %s is too old', (version) => {
  expect(tooOld(version)).toBe(`Turnout needs Node 20.19 or newer; this is ${version}.`);
});

it.each(['20.19.0', '20.20.2', '22.0.0', '24.21.0', '100.0.0-pre', process.versions.node])(
  'Node %s will do',
  (version) => {
    expect(tooOld(version)).toBeUndefined();
  },
);

it('the manifest and the installer ask for the same', () => {
  expect(JSON.parse(read('package.json')).engines.node).toBe(`>=${minimumNode}`);
  expect(read('scripts/ensure.mjs')).toContain(`const minimumNode = [${minimumNode.replace('.', ', ')}];`);
});

it('the built program loads nothing before it has looked at the version [fault 13.13: a Node that is too old]', () => {
  const imports = read('dist/cli/main.js').match(/^\s*import\b[^('"]*['"][^'"]+['"]/gm) ?? [];
  expect(imports.filter((line) => !line.includes('minimum-node'))).toEqual([]);
});
