import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const built = fileURLToPath(new URL('../../../dist/web/', import.meta.url));

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}

describe('the first view of the page', () => {
  it('is under 60 kB, compressed (16.4)', () => {
    const manifest = JSON.parse(readFileSync(`${built}.vite/manifest.json`, 'utf8')) as Record<string, Chunk>;
    const files = new Set(['index.html']);
    const add = (name: string) => {
      const chunk = manifest[name];
      if (chunk === undefined || files.has(chunk.file)) return;
      for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
      for (const imported of chunk.imports ?? []) add(imported);
    };
    add('index.html');
    const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(built + file)).length, 0);
    expect(files.size).toBeGreaterThan(2);
    expect(bytes).toBeLessThan(60_000);
  });

  it('has nothing inline, which its Content-Security-Policy would forbid (16.5)', () => {
    const html = readFileSync(`${built}index.html`, 'utf8');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
    expect(existsSync(`${built}assets`)).toBe(true);
  });
});
