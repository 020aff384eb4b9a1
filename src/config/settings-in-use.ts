import type { TurnoutError } from '../core/errors.js';
import { describeSettings, type SettingDescription } from './describe-settings.js';
import { given } from './home-directory.js';
import { readEnvironment, relativePath, type SettingsSources } from './read-environment.js';
import { fromEnvironment, fromFlags } from './setting-origins.js';

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

export interface SettingsInUse {
  readonly settings: readonly SettingInUse[];
  /** What is wrong in the files themselves; what can be read of them counts here. */
  readonly problems: readonly TurnoutError[];
}

/** Every setting with its value and where it comes from. `problemOf` says why a value is wrong. */
export async function settingsInUse(
  sources: SettingsSources,
  problemOf: (name: string, value: string) => string | undefined,
): Promise<SettingsInUse> {
  const { settings, origins, problems } = await readEnvironment({
    ...sources,
    command: 'none',
    wrongFiles: 'report',
  });
  const inUse = describeSettings().map((described): SettingInUse => {
    const { name } = described;
    const value = given(settings[name]);
    const written = origins[name];
    if (value === undefined || written === undefined) return { ...described, origin: 'default' };
    const relative = written === fromEnvironment ? relativePath(name, value) : undefined;
    const problem = relative ?? problemOf(name, value);
    return { ...described, value, ...originOf(written), ...(problem === undefined ? {} : { problem }) };
  });
  return { settings: inUse, problems };
}

function originOf(written: string): Pick<SettingInUse, 'origin' | 'file'> {
  if (written === fromEnvironment) return { origin: 'environment' };
  if (written === fromFlags) return { origin: 'flag' };
  return { origin: 'file', file: written.replace(/^in /, '') };
}
