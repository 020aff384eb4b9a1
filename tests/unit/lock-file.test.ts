import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface LockFile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
const { packages }: LockFile = JSON.parse(text);
const installed = Object.entries(packages).filter(([path]) => path !== '');

it('every package of the lock file has a checksum, those of other platforms too [fault 13.13: a package exchanged on its way]', () => {
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
});

it('every optional package has an entry: `npm ci` refuses a lock file that lacks the one of its platform', () => {
  const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  expect(wanted.length).toBeGreaterThan(30);
  expect(wanted.filter((name) => packages[`node_modules/${name}`] === undefined)).toEqual([]);
});

it('the Codex SDK is an optional peer: npm installs it for nobody who did not ask (O2)', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(manifest.peerDependenciesMeta['@openai/codex-sdk']).toEqual({ optional: true });
  expect(packages['']).toMatchObject({ peerDependencies: manifest.peerDependencies });
  expect(packages['node_modules/@openai/codex-sdk']).toBeUndefined();
});

it('the lock file names no registry: whoever installs has one of his own', () => {
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  expect(text).not.toMatch(/https?:\/\/[^"]*\.tgz/);
});
