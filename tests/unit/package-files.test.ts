import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the package', () => {
  it('has the files that its program loads when it needs them (17.7)', () => {
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
    for (const needed of [
      'dist/cli/main.js',
      'dist/process/work-tree/reader.js',
      'dist/chunks',
      'dist/vendor',
      'dist/web',
    ]) {
      expect(files).toContain(needed);
      expect(existsSync(join(root, needed)), needed).toBe(true);
    }
  });
});
