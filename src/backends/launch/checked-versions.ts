import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../core/make-directory.js';
import { isObject } from '../output/json.js';

// The versions that passed `turnout doctor --deep` on this machine, by backend: {"codex":["0.169.0"]}.

const maxBytes = 64 * 1024;
const maxVersions = 50;

/** False if the file can't be read or understood: then a turn warns once more than it has to. */
export function isChecked(home: string, backend: string, version: string): boolean {
  return versionsOf(readChecked(home), backend).includes(version);
}

/** Adds versions. The file is replaced as a whole, so that a reader never sees half of it. */
export async function addChecked(
  home: string,
  passed: readonly { readonly backend: string; readonly version: string }[],
): Promise<void> {
  if (passed.length === 0) return;
  const kept: Record<string, readonly string[]> = {};
  const before = readChecked(home);
  for (const backend of Object.keys(before)) kept[backend] = versionsOf(before, backend);
  for (const { backend, version } of passed) {
    const others = (kept[backend] ?? []).filter((known) => known !== version);
    kept[backend] = [...others, version].slice(-maxVersions);
  }
  const file = fileIn(home);
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  makeDirectory(home);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(kept)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

function fileIn(home: string): string {
  return join(home, 'checked-versions.json');
}

function readChecked(home: string): Readonly<Record<string, unknown>> {
  try {
    const file = fileIn(home);
    const { size, isFile } = factsOf(file);
    if (!isFile || size > maxBytes) return {};
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isObject(kept) ? kept : {};
  } catch {
    return {};
  }
}

function factsOf(file: string): { readonly size: number; readonly isFile: boolean } {
  const facts = statSync(file);
  return { size: facts.size, isFile: facts.isFile() };
}

function versionsOf(kept: Readonly<Record<string, unknown>>, backend: string): readonly string[] {
  const versions = Object.hasOwn(kept, backend) ? kept[backend] : undefined;
  return Array.isArray(versions) ? versions.filter((version) => typeof version === 'string') : [];
}
