import { statSync } from 'node:fs';
import { distance } from '../core/distance.js';
import { type Environment, given } from './home-directory.js';
import { secretNames } from './secrets.js';
import { isSettingName, settingNames } from './settings.js';

/** What is probably a mistake in a settings file, though it can be read. */
export function fileWarnings(path: string, settings: Environment): readonly string[] {
  const unknown = Object.keys(settings).flatMap((name) => {
    const meant = meantSetting(name);
    return meant === undefined ? [] : [`${name} in ${path} is no setting; is ${meant} meant?`];
  });
  const secret = secretNames.find((name) => given(settings[name]) !== undefined);
  if (secret === undefined || !isReadByOthers(path)) return unknown;
  return [...unknown, `Other users can read ${path}, and ${secret} is in it: chmod 600 ${path}`];
}

/** The setting that a name with one of our prefixes stands for. Other programs have names of their own, such as HTTP_PROXY. */
export function meantSetting(name: string): string | undefined {
  const [prefix] = /^(?:DISCORD|HTTP|BACKEND|POOL)_/.exec(name) ?? [];
  if (prefix === undefined || isSettingName(name) || name === 'HTTP_PROXY') return undefined;
  const near = settingNames
    .filter((known) => known.startsWith(prefix))
    .map((known) => ({ known, far: distance(name, known) }))
    .sort((a, b) => a.far - b.far)[0];
  return near !== undefined && near.far <= 5 ? near.known : undefined;
}

function isReadByOthers(path: string): boolean {
  if (process.platform === 'win32') return false;
  try {
    return (statSync(path).mode & 0o044) !== 0;
  } catch {
    return false;
  }
}
