import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findExecutable } from '../../process/find-executable.js';
import type { NamedHook } from './read-hooks.js';

/**
 * Names the hooks that can't be run. A hook that fails later is only logged, so that no message is lost to it: a program
 * that was never there is noticed now or not at all.
 */
export async function checkPrograms(
  named: readonly NamedHook[],
  configDir: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const found = await Promise.all(
    named.map(async ({ hook, place }) => {
      const problem = await whyNotRunnable(hook, configDir, env);
      return problem === undefined ? [] : [`${place}: ${problem}`];
    }),
  );
  return found.flat();
}

async function whyNotRunnable(
  hook: NamedHook['hook'],
  configDir: string,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if ('module' in hook) {
    const file = resolve(configDir, hook.module);
    const problem = await access(file, constants.R_OK).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code ?? 'unknown',
    );
    if (problem === undefined) return undefined;
    return problem === 'ENOENT' ? `${file} was not found` : `${file} can't be read (${problem})`;
  }
  const program = programOf(hook.command[0], configDir);
  const found = await findExecutable(program, env, configDir);
  if (!('problem' in found)) return undefined;
  switch (found.problem) {
    case 'missing':
      return `${program} was not found${program === hook.command[0] ? ' on the PATH' : ''}`;
    case 'not_executable':
      return `${found.path} may not be executed by this user; make it executable: chmod +x`;
    case 'is_directory':
      return `${found.path} is a directory, not a program`;
  }
}

/** A program with a slash is a path, relative to CONFIG_DIR; any other is found on the PATH. */
export function programOf(program: string, configDir: string): string {
  return /[\\/]/.test(program) ? resolve(configDir, program) : program;
}
