import { dirname, relative } from 'node:path';
import { type BytePath, bytePath } from '../../process/work-tree/byte-path.js';
import type { WorkTreeFiles } from '../../process/work-tree-files.js';
import { maxIgnoreFileBytes, maxIgnoreFiles } from './limits.js';

/** The places that ignore rules are read from. */
export interface RuleSources {
  readonly workTrees: WorkTreeFiles;
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
export async function readIgnoreRules({ workTrees, root, cwd, inside }: RuleSources): Promise<string> {
  const readPlainFile = (folder: string, path: BytePath) =>
    read(workTrees, root, `${bytePath(folder)}/${path}`);
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

/** Undefined if it is no file, or a large one. A link is not followed: git does not either. */
async function read(workTrees: WorkTreeFiles, root: string, path: BytePath): Promise<string | undefined> {
  const request = { tree: bytePath(root), path, maxBytes: maxIgnoreFileBytes, followLinks: false };
  const found = await workTrees.read(request);
  return found.type === 'file' ? found.content.toString('latin1') : undefined;
}

function foldersDownTo(root: string, cwd: string): string[] {
  return cwd === root ? [root] : [...foldersDownTo(root, dirname(cwd)), cwd];
}

function depth(path: BytePath): number {
  return path.split('/').length;
}
