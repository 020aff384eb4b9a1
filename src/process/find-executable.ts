import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

export type FoundExecutable =
  | { readonly path: string }
  | { readonly problem: ExecutableProblem; readonly path: string };

export type ExecutableProblem = 'missing' | 'not_executable' | 'is_directory';

/**
 * Finds the file that a command would start. A name with a slash is a path, relative to `cwd`; a bare one is
 * looked up on PATH, where a file that can't be run is passed over but reported if nothing better is found. Empty and
 * relative parts of PATH don't count: they mean the current directory, which may be anybody's repository.
 */
export async function findExecutable(
  nameOrPath: string,
  env: { readonly PATH?: string },
  cwd = '.',
): Promise<FoundExecutable> {
  const isPath = nameOrPath.includes('/');
  let best: FoundExecutable = { problem: 'missing', path: nameOrPath };
  for (const candidate of candidates(nameOrPath, env, cwd)) {
    const found = problemOf(candidate);
    // A folder of PATH that this user may not enter tells nothing of what is in it.
    const problem = found === 'closed' ? (isPath ? 'not_executable' : 'missing') : found;
    if (problem === undefined) return { path: candidate };
    if ('problem' in best && rank[problem] > rank[best.problem]) best = { problem, path: candidate };
  }
  return best;
}

const rank: Readonly<Record<ExecutableProblem, number>> = { missing: 0, is_directory: 1, not_executable: 2 };

function candidates(nameOrPath: string, env: { readonly PATH?: string }, cwd: string): string[] {
  if (nameOrPath === '') return [];
  // Without PATH the C library searches these two. A part that is empty or relative means a directory of the repository.
  const onPath = (env.PATH ?? '/bin:/usr/bin').split(delimiter).filter((folder) => isAbsolute(folder));
  const folders = nameOrPath.includes('/') ? [''] : onPath;
  return folders.map((folder) => resolve(cwd, join(folder, nameOrPath)));
}

/** Another thread would be asked twice for each folder of PATH, and asking it takes longer than the answer. */
function problemOf(path: string): ExecutableProblem | 'closed' | undefined {
  try {
    if (statSync(path).isDirectory()) return 'is_directory';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'closed' : 'missing';
  }
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return 'not_executable';
  }
}
