import { dirname, relative } from 'node:path';
import { type BytePath, bytePath } from '../../process/work-tree/byte-path.js';
import { maxIgnoreFileBytes, maxIgnoreFiles } from './limits.js';
import type { Shadow } from './shadow.js';

/** The places that ignore rules are read from. */
export interface RuleSources {
  readonly shadow: Shadow;
  /** The work tree's root, which may be above the directory of the shadow. */
  readonly root: string;
  /** The ignore files below that directory that were seen so far, relative to it. Those that are gone are taken out. */
  readonly inside: Set<BytePath>;
}

/**
 * Reads the ignore files of a work tree into one list of rules. Git does not read them itself: it would wait for ever at a pipe of that
 * name, and a list can be kept: an agent may write rules that hide what it does.
 */
export async function readIgnoreRules({ shadow, root, inside }: RuleSources): Promise<string> {
  const { cwd } = shadow;
  const readPlainFile = (folder: string, path: BytePath) =>
    read(shadow, { root, path: `${bytePath(folder)}/${path}`, isAbove: folder !== cwd });
  // The user's own excludes, if they are where they are in a plain repository.
  const own = (await readPlainFile(root, '.git/info/exclude')) ?? '';
  const rules = [weakest, ...below('', own)];
  for (const folder of foldersDownTo(root, cwd)) {
    const text = await readPlainFile(folder, ignoreFile);
    if (text !== undefined) rules.push(...below(bytePath(relative(root, folder)), text));
  }
  const prefix = root === cwd ? '' : `${bytePath(relative(root, cwd))}/`;
  const paths = [...inside]
    .filter((path) => path !== ignoreFile)
    .sort((one, other) => depth(one) - depth(other));
  const nearest = paths.slice(0, maxIgnoreFiles);
  const texts = await Promise.all(nearest.map((path) => readPlainFile(cwd, path)));
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

/** Undefined if it is no file, a large one, or somebody else's above the directory. A link is not followed: git does not either. */
async function read(
  shadow: Shadow,
  { root, path, isAbove }: { readonly root: string; readonly path: BytePath; readonly isAbove: boolean },
): Promise<string | undefined> {
  const request = { tree: bytePath(root), path, maxBytes: maxIgnoreFileBytes, followLinks: false };
  const found = await shadow.workTrees.read(request);
  if (found.type !== 'file' || (isAbove && !shadow.trusts(found.uid))) return undefined;
  return found.content.toString('latin1');
}

function foldersDownTo(root: string, cwd: string): string[] {
  return cwd === root ? [root] : [...foldersDownTo(root, dirname(cwd)), cwd];
}

function depth(path: BytePath): number {
  return path.split('/').length;
}
