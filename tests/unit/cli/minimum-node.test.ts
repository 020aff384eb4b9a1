import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

it('the built program loads nothing that an old Node may lack before it has looked at the version [fault 13.13: a Node that is too old]', () => {
  expect(loadedBy('dist/cli/main.js').filter((name) => !name.startsWith('dist/'))).toEqual([]);
});

/** What a module imports, directly or not: paths of files, and the names of modules that are not ours. */
function loadedBy(file: string): string[] {
  const imports = read(file).matchAll(/^\s*import\b[^('"]*['"]([^'"]+)['"]/gm);
  return [...imports].flatMap(([, name = '']) => {
    if (!name.startsWith('.')) return [name];
    const path = join(dirname(file), name);
    return [path, ...loadedBy(path)];
  });
}
