// What a value of a setting, a file or a request has to look like, with the words for one that does not.

export const modelNameExpected = 'a model’s name does not begin with "-"';

/** A model's name becomes an argument of a CLI, which would take one with a dash for an option of its own. */
export function isModelName(name: string): boolean {
  return !name.startsWith('-');
}

export const channelIdExpected =
  '1 to 128 of the characters A-Z a-z 0-9 . _ : @ - are allowed (not "." or ".." alone)';

/** A channel's id is also the name of its folder in CONFIG_DIR: nothing that climbs out of it. */
export function isChannelId(id: string): boolean {
  return /^[A-Za-z0-9._:@-]{1,128}$/.test(id) && id !== '.' && id !== '..';
}

const longestToken = 4096;

export const tokenExpected = `one line of visible ASCII characters is expected, ${longestToken} at most`;

/** A token has to fit into a header. */
export function isToken(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token) && token.length <= longestToken;
}
