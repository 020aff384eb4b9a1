// The formats of values in settings, files and requests, each with the words for an error message.

export const modelNameExpected = 'a model’s name does not begin with "-", and has no invisible characters';

/**
 * A model's name becomes an argument of a CLI, which would take a name with a leading dash for an option. It is printed on
 * terminals and pages, where characters that turn the order of others would make another name of it.
 */
export function isModelName(name: string): boolean {
  return !name.startsWith('-') && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);
}

/** O2: a backend's name with `-cli` behind it is the same name, and so it is in capitals: phones write the first one so. */
export function shortBackendName(written: string): string {
  return written.trim().toLowerCase().replace(/-cli$/, '');
}

export const channelIdExpected =
  '1 to 128 of the characters A-Z a-z 0-9 . _ : @ - are allowed (not "." or ".." alone)';

/** A channel's id is also the name of its folder in CONFIG_DIR, so it must not lead out of there. */
export function isChannelId(id: string): boolean {
  return /^[A-Za-z0-9._:@-]{1,128}$/.test(id) && id !== '.' && id !== '..';
}

export const discordIdExpected =
  'expected ids of Discord, comma-separated: 17 to 20 digits each (Discord copies them in its developer mode)';

/** Users, roles, guilds and channels all have such an id, and a guild's id can't be told from a user's. */
export function isDiscordId(id: string): boolean {
  return /^\d{17,20}$/.test(id);
}

export const hostNameExpected =
  'expected names of hosts, comma-separated, without scheme, port and wildcard: agents.example.com';

export function isHostName(name: string): boolean {
  return /^([a-z\d_-]+(\.[a-z\d_-]+)*\.?|\[[\da-f:.]+\])$/i.test(name) && name.length <= 255;
}

const longestToken = 4096;

export const tokenExpected = `one line of visible ASCII characters is expected, ${longestToken} at most`;

/** A token must fit into an HTTP header. */
export function isToken(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token) && token.length <= longestToken;
}
