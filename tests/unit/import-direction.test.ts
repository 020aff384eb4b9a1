import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** What each layer may import beside itself. The order is DESIGN's: arrows point down, layers may be skipped. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  core: [],
  process: ['core'],
  store: ['core'],
  config: ['core'],
  backends: ['config', 'process', 'core'],
  sessions: ['backends', 'config', 'process', 'core'],
  runner: ['sessions', 'backends', 'config', 'process', 'core'],
  orchestra: ['runner', 'sessions', 'backends', 'store', 'config', 'process', 'core'],
  gateway: ['runner', 'sessions', 'backends', 'store', 'config', 'process', 'core'],
  'lab/model': ['core'],
  lab: ['lab/model', 'sessions', 'backends', 'config', 'process', 'core'],
  'demo-agent': [],
  cli: [
    'gateway',
    'orchestra',
    'store',
    'lab',
    'lab/model',
    'runner',
    'sessions',
    'backends',
    'config',
    'process',
    'core',
  ],
};

describe('imports point one way', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );

  it('finds the source', () => {
    expect(files.length).toBeGreaterThan(20);
  });

  it.each(files.filter((file) => file !== 'index.ts'))('%s', (file) => {
    const layer = layerOf(file);
    expect(Object.keys(allowed), `${file} is in no known layer`).toContain(layer);
    for (const target of importsOf(file)) {
      const targetLayer = layerOf(target);
      if (targetLayer === layer) continue;
      expect(allowed[layer], `${file} imports ${target}`).toContain(targetLayer);
    }
  });

  it('no backend imports a sibling', () => {
    const vendorOf = (file: string) => /^backends[\\/](claude|codex|gemini|opencode)/.exec(file)?.[1];
    for (const file of files.filter((name) => vendorOf(name) !== undefined)) {
      const siblings = importsOf(file).filter((target) => {
        const vendor = vendorOf(target);
        return vendor !== undefined && vendor !== vendorOf(file);
      });
      expect(siblings, file).toEqual([]);
    }
  });

  it('nothing below the command line reads another layer’s index', () => {
    for (const file of files) expect(importsOf(file), file).not.toContain('index.ts');
  });
});

function layerOf(file: string): string {
  const [first = '', second] = file.split(sep);
  return first === 'lab' && second === 'model' ? 'lab/model' : first;
}

function importsOf(file: string): string[] {
  const source = readFileSync(join(src, file), 'utf8');
  const specifiers = [...source.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(
    (match) => match[1] ?? '',
  );
  return specifiers.map((specifier) =>
    relative(src, resolve(join(src, dirname(file)), specifier)).replace(/\.js$/, '.ts'),
  );
}
