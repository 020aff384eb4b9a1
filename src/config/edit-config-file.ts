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
import { parseConfigFile } from './config-file.js';
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

/** The settings in `config.yaml` alone. Rejects if the file is wrong. */
export async function readConfigFile(home: string): Promise<Readonly<Record<string, string>>> {
  const path = configFileIn(home);
  return parseConfigFile(path, readTrustedFile(path) ?? '');
}

/**
 * Changes settings in `config.yaml`. Everything else in it stays, comments too. A file that is wrong is not touched, and a
 * reader never sees half of one.
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
    const before = await parseConfigFile(path, text);
    const changed = Object.keys(changes).filter((name) => before[name] !== changes[name]);
    if (changed.length === 0) return { path, changed };
    const edited = await withChanges(text, changes);
    const after = await parseConfigFile(path, edited);
    const wrong = changed.find((name) => after[name] !== changes[name]);
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

/** The text of the file with other values. A setting may be written in any case: `http_port`. */
export async function withChanges(text: string, changes: ConfigChanges): Promise<string> {
  const { isMap, isScalar, parseDocument, YAMLMap } = await import('yaml');
  const document = parseDocument(text, { schema: 'failsafe' });
  if (!isMap(document.contents)) {
    // A file of nothing but comments has them behind its contents.
    document.commentBefore = joined(document.commentBefore, document.comment);
    document.comment = null;
    (document as { contents: unknown }).contents = new YAMLMap();
  }
  const map = document.contents;
  if (!isMap(map)) return text;
  for (const [name, value] of Object.entries(changes)) {
    const at = map.items.findIndex(
      ({ key }) => isScalar(key) && String(key.value).toUpperCase() === name.toUpperCase(),
    );
    const pair = map.items[at];
    if (value === undefined) {
      if (pair === undefined) continue;
      map.items.splice(at, 1);
      // The comment above it may be about more than this one.
      const above = isScalar(pair.key) ? pair.key.commentBefore : undefined;
      const next = map.items[at]?.key;
      if (isScalar(next)) next.commentBefore = joined(above, next.commentBefore);
      else document.comment = joined(document.comment, above);
    } else if (pair === undefined) map.add(document.createPair(name, value));
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

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOTDIR: 'a part of its path is a file',
};
