import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchownSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { TurnoutError } from '../core/errors.js';
import { makeDirectory } from '../core/make-directory.js';
import { type ConfigText, readConfigText, wrongConfigFile } from './config-file.js';
import { settingKey } from './setting-name.js';
import { tryLock } from './short-lock.js';
import { readTrustedFile } from './trusted-file.js';

/** Settings by their names: a value to be written, or undefined to take the setting out. */
export type ConfigChanges = Readonly<Record<string, string | undefined>>;

export interface EditedConfig {
  readonly path: string;
  /** The settings that have another value than before, or none any more. */
  readonly changed: readonly string[];
}

export function configFileIn(home: string): string {
  return join(home, 'config.yaml');
}

/** What is in `config.yaml` alone. */
export async function readConfigFile(home: string): Promise<ConfigText> {
  return readConfigText(readTrustedFile(configFileIn(home)) ?? '');
}

/**
 * Changes settings in `config.yaml`. Everything else in it stays, comments too. A file that is wrong is touched only by what
 * makes it less so, and a reader never sees half of one.
 */
export async function editConfigFile(home: string, changes: ConfigChanges): Promise<EditedConfig> {
  const path = configFileIn(home);
  try {
    makeDirectory(home);
  } catch (cause) {
    throw notWritten(path, cause);
  }
  const unlock = await lock(`${path}.lock`);
  try {
    const text = readTrustedFile(path) ?? heading;
    const before = readConfigText(text);
    const isWrong = (name: string) => before.problems.some((problem) => problem.name === name);
    const changed = Object.keys(changes).filter(
      (name) => before.settings[name] !== changes[name] || isWrong(name),
    );
    // Without a name the file is no list of settings, and nothing in it can be found.
    const isNone = before.problems.some(({ name }) => name === undefined);
    if (isNone || (changed.length === 0 && before.problems.length > 0))
      throw wrongConfigFile(path, before.problems);
    if (changed.length === 0) return { path, changed };
    const edited = await withChanges(text, changes);
    const after = readConfigText(edited);
    if (after.problems.length > 0 && after.problems.length >= before.problems.length)
      throw wrongConfigFile(path, before.problems);
    const wrong = changed.find((name) => after.settings[name] !== changes[name]);
    if (wrong !== undefined)
      throw new TurnoutError('bad_request', `${wrong} can't be changed in ${path}: its form is not plain.`, {
        hint: 'Change it with an editor.',
      });
    replaceFile(path, edited);
    return { path, changed };
  } finally {
    unlock?.();
  }
}

const heading = '# Settings of Turnout: `turnout config list` shows all of them.\n';

/** The text of the file with other values. A setting may be written in any case and with dashes: `http-port`. */
export async function withChanges(text: string, changes: ConfigChanges): Promise<string> {
  const { isMap, isScalar, parseDocument, YAMLMap } = await import('yaml');
  const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false });
  if (!isMap(document.contents)) {
    // A file of nothing but comments has them behind its contents.
    document.commentBefore = joined(document.commentBefore, document.comment);
    document.comment = null;
    (document as { contents: unknown }).contents = new YAMLMap();
  }
  const map = document.contents;
  if (!isMap(map)) return text;
  for (const [name, value] of Object.entries(changes)) {
    const found = map.items.filter(({ key }) => isScalar(key) && settingKey(String(key.value)) === name);
    const pair = found[0];
    // The one that gets the value stays; a file with the same setting twice is put right.
    for (const extra of value === undefined ? found : found.slice(1)) {
      const at = map.items.indexOf(extra);
      map.items.splice(at, 1);
      // The comment above it may be about more than this one.
      const above = isScalar(extra.key) ? extra.key.commentBefore : undefined;
      const next = map.items[at]?.key;
      if (isScalar(next)) next.commentBefore = joined(above, next.commentBefore);
      else document.comment = joined(document.comment, above);
    }
    if (value === undefined) continue;
    if (pair === undefined) map.add(document.createPair(name, value));
    // The value's own node keeps the comment behind it.
    else if (isScalar(pair.value)) pair.value.value = value;
    else (pair as { value: unknown }).value = document.createNode(value);
  }
  if (map.items.length === 0) document.commentBefore = joined(document.commentBefore, map.commentBefore);
  const edited = document.toString({ lineWidth: 0 });
  // Without settings YAML writes an empty map.
  return map.items.length === 0 ? edited.replace(/^\{\s*\}\n?/m, '') : edited;
}

function joined(...comments: readonly (string | null | undefined)[]): string | null {
  return comments.filter(Boolean).join('\n') || null;
}

/** Another command may be changing the file. What keeps us from having a lock keeps us from writing too, and is told then. */
async function lock(path: string): Promise<(() => void) | undefined> {
  for (let tries = 0; tries < 100; tries += 1) {
    const unlock = tryLock(path);
    if (unlock !== undefined || statSync(path, { throwIfNoEntry: false }) === undefined) return unlock;
    await wait(20);
  }
  throw new TurnoutError('bad_request', `Another command holds ${path}.`, {
    hint: 'Try again, or remove that file if nothing else is at work.',
  });
}

function replaceFile(path: string, text: string): void {
  let draft: string | undefined;
  try {
    // A link to a file elsewhere stays one.
    const target = realTarget(path);
    const before = statSync(target, { throwIfNoEntry: false });
    if (before !== undefined && (before.mode & 0o200) === 0) throw new ReadOnly();
    draft = join(dirname(target), `.config.yaml.${randomBytes(6).toString('hex')}`);
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      // Root may be at work in a user's home.
      if (before !== undefined && before.uid !== process.geteuid?.())
        fchownSync(file, before.uid, before.gid);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, target);
  } catch (cause) {
    if (draft !== undefined) rmSync(draft, { force: true });
    throw notWritten(path, cause);
  }
}

function realTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw error;
  }
}

function notWritten(path: string, cause: unknown): TurnoutError {
  if (cause instanceof ReadOnly)
    return new TurnoutError('unknown', `${path} is read-only. Nothing was changed.`, {
      hint: `To change it: chmod u+w ${path}`,
    });
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const why = reasons[code] ?? message;
  return new TurnoutError('unknown', `${path} can't be written: ${why}. Nothing was changed.`, {
    hint:
      code === 'ENOSPC' || code === 'EDQUOT'
        ? 'Make room, and try again.'
        : 'Set TURNOUT_HOME to a directory that you can write.',
    cause,
  });
}

/** Somebody has made the file read-only. A new one in its place would not ask them. */
class ReadOnly extends Error {}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
};
