import { readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VendorName } from '../../src/backends/registry.js';
import { openDatabase } from '../../src/store/sqlite/open-database.js';

const garbage = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 197 + (index >> 3)) % 256));

type Damage = (path: string, sessionId: string) => Promise<void>;

/** The ways in which a record of JSON lines is damaged. A directory in its place stands for a file that can't be read. */
const fileDamages = {
  'is deleted': (path) => rm(path),
  'is empty': (path) => writeFile(path, ''),
  'ends in its middle': (path) => truncate(path, Math.floor(statSync(path).size / 2)),
  'ends within its last line': (path) => truncate(path, statSync(path).size - 20),
  'has another first line': (path) => rewrite(path, (lines) => ['{"garb', ...lines.slice(1)]),
  'has binary garbage in its middle': async (path) => {
    const lines = linesOf(path);
    const half = Math.floor(lines.length / 2);
    const part = (some: readonly string[]) => Buffer.from(`${some.join('\n')}\n`);
    const parts = [part(lines.slice(0, half)), garbage, Buffer.from('\n'), part(lines.slice(half + 1))];
    await writeFile(path, Buffer.concat(parts));
  },
  'has no line that is JSON': (path) => rewrite(path, (lines) => lines.map((line) => line.slice(0, -9))),
  'is binary garbage': (path) => writeFile(path, garbage),
  'can’t be read': async (path) => {
    await rm(path);
    await mkdir(path);
  },
} satisfies Record<string, Damage>;

/** The ways in which OpenCode's database is damaged: rows of the session, or the whole file. */
const databaseDamages = {
  'has no row of it': change('DELETE FROM session WHERE id = ?'),
  'has no messages': change('DELETE FROM message WHERE session_id = ?'),
  'has no parts': change('DELETE FROM part WHERE session_id = ?'),
  'has messages that are not JSON': change(`UPDATE message SET data = '{"garb' WHERE session_id = ?`),
  'has messages of another shape': change(`UPDATE message SET data = '{"x":1}' WHERE session_id = ?`),
  'has parts that are not JSON': change(`UPDATE part SET data = '{"garb' WHERE session_id = ?`),
  'has parts of another shape': change(`UPDATE part SET data = '{"x":1}' WHERE session_id = ?`),
  'has a garbled row of it': change(
    `UPDATE session SET directory = x'00ff10fe', version = x'00ff', slug = '', time_created = 'x' WHERE id = ?`,
  ),
  'is deleted': (path) => rm(path),
  'is empty': (path) => writeFile(path, ''),
} satisfies Record<string, Damage>;

export type FileDamage = keyof typeof fileDamages;
export type DatabaseDamage = keyof typeof databaseDamages;

/** The directory, in the home, in which the CLI keeps its sessions. */
export const recordDirectories: Readonly<Record<VendorName, string>> = {
  claude: '.claude/projects',
  codex: '.codex',
  gemini: '.gemini/tmp',
  opencode: '.local/share/opencode',
};

/** Damages the CLI's record of the session. No process may have it open. */
export async function damageSession(
  backend: VendorName,
  home: string,
  sessionId: string,
  how: FileDamage | DatabaseDamage,
): Promise<void> {
  const directory = join(home, recordDirectories[backend]);
  if (backend === 'opencode') {
    await databaseDamages[how as DatabaseDamage](join(directory, 'opencode.db'), sessionId);
    return;
  }
  for (const path of recordsOf(directory, sessionId, backend)) await fileDamages[how as FileDamage](path);
}

/** Puts the records back as they were copied. */
export async function restoreRecords(backend: VendorName, home: string, copy: string): Promise<void> {
  const directory = join(home, recordDirectories[backend]);
  await rm(directory, { recursive: true, force: true });
  await cp(copy, directory, { recursive: true });
}

/** Several files if Gemini has resumed the session: one has the conversation, the others are stubs. */
function recordsOf(directory: string, sessionId: string, backend: VendorName): readonly string[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => path.endsWith('.jsonl') && statSync(path).isFile());
  const found = files.filter((path) =>
    backend === 'gemini' ? linesOf(path)[0]?.includes(sessionId) : path.endsWith(`${sessionId}.jsonl`),
  );
  if (found.length === 0) throw new Error(`${backend} has no record of ${sessionId}.`);
  return found;
}

function linesOf(path: string): readonly string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function rewrite(path: string, how: (lines: readonly string[]) => readonly string[]): Promise<void> {
  return writeFile(path, `${how(linesOf(path)).join('\n')}\n`);
}

function change(sql: string): Damage {
  return async (path, sessionId) => {
    const db = await openDatabase(path);
    try {
      db.run('PRAGMA foreign_keys = OFF');
      db.run(sql, sessionId);
    } finally {
      db.close();
    }
  };
}
