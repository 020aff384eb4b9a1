/** Where each setting is set, by its name: `in the environment`, `in /home/me/.turnout/config.yaml`. */
export type SettingOrigins = Readonly<Record<string, string>>;

export const fromEnvironment = 'in the environment';
export const fromFlags = 'on the command line';

/** Names a setting, perhaps as `NAME=value`, with where it is set, if that is known. */
export function settingWithOrigin(name: string, origins: SettingOrigins, shown = name): string {
  const origin = Object.hasOwn(origins, name) ? origins[name] : undefined;
  return origin === undefined ? shown : `${shown} ${origin}`;
}

/** Says that settings of one backend are not used for another one, and how that one is given a path. */
export function settingsNotUsed(names: readonly string[], owner: string, backend: string): string {
  const [belong, are] = names.length === 1 ? ['belongs', 'is'] : ['belong', 'are'];
  const said = `${names.join(' and ')} ${belong} to ${owner} and ${are} not used for ${backend}.`;
  if (!names.includes('BACKEND_CLI_PATH')) return said;
  return `${said} To use a ${backend} that is not on the PATH, set AGENT_BACKEND=${backend} and BACKEND_CLI_PATH to its path.`;
}
