import { expect, it } from 'vitest';
import { isInside } from '../../../src/core/is-inside.js';

it.each([
  ['/project', '/project', true],
  ['/project/a/b', '/project', true],
  ['/project/..a', '/project', true],
  ['/', '/', true],
  ['/a', '/', true],
  ['/', '/project', false],
  ['/project2', '/project', false],
  ['/other/work', '/project', false],
])('%s in %s: %s (16.4)', (path, directory, expected) => {
  expect(isInside(path, directory)).toBe(expected);
});
