import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { absolute, type BytePath } from '../../process/work-tree/byte-path.js';
import { maxIgnoreFileBytes, maxIgnoreFiles } from './limits.js';

/** The places that ignore rules are read from. */
export interface RuleSources {
  /** The work tree's root, which may be above `cwd`. */
  readonly root: string;
  readonly cwd: string;
  /** The ignore files below `cwd` that were seen so far, relative to it. Those that are gone are taken out. */
  readonly inside: Set<BytePath>;
}

/**
 * Reads the ignore files of a work tree into one list of rules. Git does not read them itself: it would wait for ever at a pipe of that
 * name, and a list can be kept: an agent may write rules that hide what it does.
 */
export async function readIgnoreRules({ root, cwd, inside }: RuleSources): Promise<string> {
  const rules = [weakest, await ownExcludes(root)];
  for (const folder of foldersDownTo(root, cwd)) {
    const text = await readPlainFile(absolute(folder, ignoreFile));
    if (text !== undefined) rules.push(...below(toBytes(relative(root, folder)), text));
  }
  const prefix = root === cwd ? '' : `${toBytes(relative(root, cwd))}/`;
  const paths = [...inside]
    .filter((path) => path !== ignoreFile)
    .sort((one, other) => depth(one) - depth(other));
  const nearest = paths.slice(0, maxIgnoreFiles);
  const texts = await Promise.all(nearest.map((path) => readPlainFile(absolute(cwd, path))));
  for (const [at, path] of nearest.entries()) {
    const text = texts[at];
    if (text === undefined) inside.delete(path);
    else rules.push(...below(`${prefix}${path.slice(0, -ignoreFile.length - 1)}`, text));
  }
  return `${rules.filter((rule) => rule !== '').join('\n')}\n`;
}

const ignoreFile = '.gitignore';

export function isIgnoreFile(path: BytePath): boolean {
  return path === ignoreFile || path.endsWith(`/${ignoreFile}`);
}

/** They matter where there is no other rule. */
const weakest = 'node_modules/\n.venv/\n__pycache__/\n.DS_Store';

/** The rules of a folder's ignore file, for a list that applies to the root. The last rule that matches counts, as it does in git. */
function below(folder: BytePath, text: string): string[] {
  const lines = text
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''));
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (folder === '') return rules;
  // A rule is a line: any character stands for the end of one in a name.
  const start = `/${folder.replace(/[*?[\\]/g, '\\$&').replace(/\n/g, '?')}`;
  return rules.map((rule) => {
    const [not, pattern] = rule.startsWith('!') ? ['!', rule.slice(1)] : ['', rule];
    if (pattern.startsWith('/')) return `${not}${start}${pattern}`;
    // A pattern without a slash, but for the last character, matches at any depth.
    const isAnywhere = !/\/./.test(pattern.replace(/ +$/, ''));
    return `${not}${start}/${isAnywhere ? '**/' : ''}${pattern}`;
  });
}

/** The user's own excludes, if they are where they are in a plain repository. */
async function ownExcludes(root: string): Promise<string> {
  for (const folder of ['.git', '.git/info']) {
    const facts = await lstat(join(root, folder)).catch(() => undefined);
    if (!facts?.isDirectory()) return '';
  }
  return below('', (await readPlainFile(absolute(root, '.git/info/exclude'))) ?? '').join('\n');
}

/** Undefined if it is no file, or a large one. A link is not followed: git does not either. */
async function readPlainFile(path: Buffer): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  try {
    const facts = await file?.stat();
    if (!facts?.isFile() || facts.size > maxIgnoreFileBytes) return undefined;
    return (await file?.readFile())?.toString('latin1');
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

function foldersDownTo(root: string, cwd: string): string[] {
  return cwd === root ? [root] : [...foldersDownTo(root, dirname(cwd)), cwd];
}

function depth(path: BytePath): number {
  return path.split('/').length;
}

function toBytes(path: string): BytePath {
  return Buffer.from(path).toString('latin1');
}
