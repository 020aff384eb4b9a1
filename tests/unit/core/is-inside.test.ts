import { expect, it } from 'vitest';
import { isInside } from '../../../src/core/is-inside.js';

it.each([
  ['/work', '/work', true],
  ['/work/a/b', '/work', true],
  ['/work/..a', '/work', true],
  ['/', '/', true],
  ['/a', '/', true],
  ['/', '/work', false],
  ['/work2', '/work', false],
  ['/other/work', '/work', false],
])('%s in %s: %s (16.4)', (path, directory, expected) => {
  expect(isInside(path, directory)).toBe(expected);
});
