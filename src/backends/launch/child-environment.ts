import { delimiter, isAbsolute } from 'node:path';
import { ownSecrets } from '../../config/secrets.js';

export { ownSecrets } from '../../config/secrets.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns a CLI's environment: the inherited one without our own secrets, plus the run's additions. */
export function childEnvironment(
  inherited: Environment,
  ...additions: (Environment | undefined)[]
): Record<string, string> {
  const merged: Record<string, string | undefined> = { ...inherited };
  for (const name of ownSecrets) delete merged[name];
  Object.assign(merged, ...additions);
  if (merged['PATH'] !== undefined) merged['PATH'] = absolutePath(merged['PATH']);
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}

/**
 * The PATH without its empty and relative parts. They mean the directory that a CLI is started in, whose programs would
 * run in place of the interpreter that the CLI's first line asks for.
 */
function absolutePath(path: string): string {
  return path
    .split(delimiter)
    .filter((part) => isAbsolute(part))
    .join(delimiter);
}
