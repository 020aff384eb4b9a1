import { describeSettings, type SettingDescription } from './describe-settings.js';
import { given } from './home-directory.js';
import { readEnvironment, type SettingsSources } from './read-environment.js';
import { fromEnvironment, fromFlags } from './setting-origins.js';
import { problemOf } from './settings.js';

export type OriginKind = 'flag' | 'environment' | 'file' | 'default';

/** A setting as it counts now. */
export interface SettingInUse extends SettingDescription {
  /** As it is written. Undefined if it is not set, and then there may be a `defaultValue`. Secrets are in here: don't print them. */
  readonly value?: string;
  readonly origin: OriginKind;
  /** The file, for the origin `file`. */
  readonly file?: string;
  /** The form of a right value, if this one is wrong. */
  readonly problem?: string;
}

/** Every setting with its value and where it comes from. */
export async function settingsInUse(sources: SettingsSources): Promise<readonly SettingInUse[]> {
  const { settings, origins } = await readEnvironment(sources);
  return describeSettings().map((described) => {
    const { name } = described;
    const value = given(settings[name]);
    const written = origins[name];
    if (value === undefined || written === undefined) return { ...described, origin: 'default' };
    const problem = problemOf(name, value);
    return { ...described, value, ...originOf(written), ...(problem === undefined ? {} : { problem }) };
  });
}

function originOf(written: string): Pick<SettingInUse, 'origin' | 'file'> {
  if (written === fromEnvironment) return { origin: 'environment' };
  if (written === fromFlags) return { origin: 'flag' };
  return { origin: 'file', file: written.replace(/^in /, '') };
}
