import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/names.js';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** The layers that each layer may import beside itself. Arrows point down, layers may be skipped. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  core: [],
  process: ['config', 'core'],
  sqlite: ['core'],
  store: ['sqlite', 'core'],
  config: ['core'],
  backends: ['config', 'process', 'sqlite', 'core'],
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

/**
 * The rooms of the gateway, and which others each may enter. Two enter each other: a turn runs the commands of the chat, and
 * `/queue clear` is a verdict on messages. Files beside the rooms put them together; rooms know only three of them.
 */
const gatewayRooms: Readonly<Record<string, readonly string[]>> = {
  channels: [],
  persona: ['channels'],
  hooks: ['persona'],
  schedule: ['persona'],
  archive: ['channels'],
  changes: ['channels'],
  feed: ['archive', 'channels'],
  agents: ['channels', 'persona'],
  reports: ['agents', 'channels'],
  commands: ['agents', 'turns'],
  turns: ['agents', 'archive', 'changes', 'commands', 'hooks'],
  queue: ['channels', 'commands', 'hooks', 'turns'],
};
const knownToRooms = ['config.ts', 'agent-runtime.ts', 'journal-points.ts', 'metrics.ts'];

/** The folders that the four vendors share: they know no vendor, and one-shot runs and live sessions meet only in types. */
const sharedByVendors: Readonly<Record<string, readonly string[]>> = {
  output: [],
  launch: ['output'],
  live: ['output'],
  record: ['output'],
  'one-shot': ['launch', 'output', 'live/types.ts'],
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

  it.each(Object.keys(gatewayRooms))('gateway/%s enters no other room than it may', (room) => {
    for (const file of files.filter((name) => name.startsWith(`gateway/${room}/`))) {
      for (const target of importsOf(file).filter((name) => name.startsWith('gateway/'))) {
        const [, entered = '', deeper] = target.split(sep);
        if (entered === room) continue;
        const may = deeper === undefined ? knownToRooms : (gatewayRooms[room] ?? []);
        expect(may, `${file} imports ${target}`).toContain(entered);
      }
    }
  });

  it('every folder of the gateway is a known room', () => {
    const rooms = files.filter((name) => /^gateway\/[^/]+\//.test(name)).map((name) => name.split(sep)[1]);
    expect([...new Set(rooms)].sort()).toEqual(Object.keys(gatewayRooms).sort());
  });

  it.each(Object.keys(sharedByVendors))('backends/%s knows no vendor', (folder) => {
    for (const file of files.filter((name) => name.startsWith(`backends/${folder}/`))) {
      for (const target of importsOf(file).filter((name) => /^backends\/[^/]+\//.test(name))) {
        const inside = target.slice('backends/'.length);
        const may = [folder, ...(sharedByVendors[folder] ?? [])];
        const known = may.some((name) => inside === name || inside.startsWith(`${name}/`));
        expect(known, `${file} imports ${target}`).toBe(true);
      }
    }
  });

  it('all vendors have the same files for the same roles', () => {
    const roles = ['protocol', 'transport', 'process', 'session', 'turns', 'decoder', 'state', 'permissions'];
    for (const vendor of vendorNames) {
      const found = roles.filter((role) => files.includes(`backends/${vendor}/live/${role}.ts`));
      expect(found, vendor).toEqual(roles);
      for (const role of ['decoder', 'session-record', 'record-entries', 'last-session', 'list-sessions'])
        expect(files).toContain(`backends/${vendor}/${role}.ts`);
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
