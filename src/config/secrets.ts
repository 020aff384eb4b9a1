import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, given } from './home-directory.js';

/** The gateway's own secrets. No agent, tool or hook gets them, and no message shows them. */
export const secretNames = ['HTTP_TOKEN', 'DISCORD_BOT_TOKEN', 'DATABASE_URL'] as const;
export type SecretName = (typeof secretNames)[number];

/** The variables of a gateway that its children never see: the secrets, and the places where they are. */
export const ownSecrets: readonly string[] = [
  ...secretNames.flatMap((name) => [name, fileSetting(name)]),
  'CREDENTIALS_DIRECTORY',
];

export function fileSetting(name: SecretName): `${SecretName}_FILE` {
  return `${name}_FILE`;
}

export interface Secrets {
  readonly values: { readonly [K in SecretName]?: string };
  readonly problems: readonly string[];
}

/**
 * Each secret from `NAME`, from the file that `NAME_FILE` names, or from a credential of systemd with that name
 * (`LoadCredential=NAME:…`). Other processes of the same user can read an environment; a file can be kept from them.
 */
export function readSecrets(env: Environment, isUsed: (name: string) => boolean = () => true): Secrets {
  const values: { [K in SecretName]?: string } = {};
  const problems: string[] = [];
  for (const name of secretNames.filter(isUsed)) {
    const value = given(env[name]);
    const file = given(env[fileSetting(name)]);
    if (value !== undefined && file !== undefined) {
      problems.push(`${name} and ${fileSetting(name)} are both set: leave one of them out.`);
    } else if (value !== undefined) {
      values[name] = value;
    } else if (file !== undefined) {
      const read = readSecret(file);
      if ('value' in read) values[name] = read.value;
      else problems.push(`${fileSetting(name)}=${JSON.stringify(file)}: ${read.problem}`);
    } else {
      const credentials = given(env['CREDENTIALS_DIRECTORY']);
      const read = credentials === undefined ? undefined : readSecret(join(credentials, name));
      if (read !== undefined && 'value' in read) values[name] = read.value;
      else if (read !== undefined && !read.missing) problems.push(`The credential ${name}: ${read.problem}`);
    }
  }
  return { values, problems };
}

function readSecret(
  path: string,
): { readonly value: string } | { readonly problem: string; readonly missing: boolean } {
  try {
    const value = readFileSync(path, 'utf8').trim();
    return value === '' ? { problem: 'the file is empty', missing: false } : { value };
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return { problem: `the file can't be read (${code})`, missing: code === 'ENOENT' };
  }
}
