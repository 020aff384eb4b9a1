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
  host: ['sessions', 'backends', 'config', 'process', 'core'],
  orchestra: ['runner', 'sessions', 'backends', 'store', 'config', 'process', 'core'],
  gateway: ['runner', 'sessions', 'backends', 'store', 'config', 'process', 'core'],
  'lab/model': ['core'],
  lab: ['lab/model', 'sessions', 'backends', 'config', 'process', 'core'],
  'demo-agent': [],
  cli: [
    'gateway',
    'orchestra',
    'host',
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

/**
 * The folders that the four vendors share: they know no vendor, and one-shot runs and live sessions meet only in types. A backend says for
 * which user records are read.
 */
const sharedByVendors: Readonly<Record<string, readonly string[]>> = {
  output: [],
  launch: ['output'],
  live: ['output'],
  record: ['output'],
  'one-shot': ['launch', 'output', 'live/types.ts', 'record/open-record.ts'],
};

/** The page is a program of its own, in a browser: of the gateway it knows the JSON, and of the core what needs no Node. */
const web = fileURLToPath(new URL('../../web', import.meta.url));
const knownToPage = [
  'core/chat-event.ts',
  'core/fold-blanks.ts',
  'core/line-diff.ts',
  'core/text.ts',
  'core/question-text.ts',
  'core/tool-input.ts',
  'gateway/channels/http/wire.ts',
  'gateway/commands/command-list.ts',
];

describe('imports point one way', () => {
  const files = sourcesIn(src);

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
      for (const role of [
        'decoder',
        'session-record',
        'record-entries',
        'last-session',
        'list-sessions',
        'last-exchange',
      ])
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

  it('the page knows of the gateway only its interface, and what it loads from here needs no Node (16.4)', () => {
    const pages = sourcesIn(web);
    expect(pages.length).toBeGreaterThan(20);
    const entered = new Set(
      pages.flatMap((file) => importsOf(file, web).filter((target) => target.startsWith('..'))),
    );
    const allowedHere = knownToPage.map((file) => join('..', 'src', file));
    expect([...entered].filter((target) => !allowedHere.includes(target))).toEqual([]);
    const reached = new Set(knownToPage);
    for (const file of reached) {
      expect(packagesOf(file), file).toEqual([]);
      for (const target of importsOf(file)) reached.add(target);
    }
    expect([...reached].filter((file) => !file.startsWith('core/') && !knownToPage.includes(file))).toEqual(
      [],
    );
  });

  it('no other part of the page loads its views at once: they are not in the first view (16.4)', () => {
    for (const file of sourcesIn(web).filter((name) => !name.startsWith('views/'))) {
      const source = readFileSync(join(web, file), 'utf8');
      expect(source, file).not.toMatch(/from '[./]*\/views\//);
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

function sourcesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
}

/** The packages and modules of Node that a file of `src` imports. */
function packagesOf(file: string): string[] {
  const source = readFileSync(join(src, file), 'utf8');
  return [...source.matchAll(/(?:from|import)\s*\(?\s*'([^.'][^']*)'/g)].map((match) => match[1] ?? '');
}

function importsOf(file: string, root = src): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const specifiers = [...source.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(
    (match) => match[1] ?? '',
  );
  return specifiers.map((specifier) =>
    relative(root, resolve(join(root, dirname(file)), specifier)).replace(/\.js$/, '.ts'),
  );
}
