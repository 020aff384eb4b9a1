export const channelIdExpected =
  '1 to 128 of the characters A-Z a-z 0-9 . _ : @ - are allowed (not "." or ".." alone)';

/** A channel's name is also the name of its folder in CONFIG_DIR: nothing that climbs out of it. */
export function isChannelId(id: string): boolean {
  return /^[A-Za-z0-9._:@-]{1,128}$/.test(id) && id !== '.' && id !== '..';
}
