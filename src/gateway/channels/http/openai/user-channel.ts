import { createHash } from 'node:crypto';
import { isChannelId } from '../../../../config/formats.js';

const madeId = /^user:.*-[0-9a-f]{32}$/;
const shownCharacters = 60;

/**
 * The channel of a `user`: the same name where it can be a channel's, else an id made of it. Two users never share one: a name
 * that looks like a made id gets one itself.
 */
export function userChannel(user: string): string {
  if (isChannelId(user) && !madeId.test(user)) return user;
  const shown = user
    .replaceAll(/[^A-Za-z0-9._@]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, shownCharacters);
  return `user:${shown}-${createHash('sha256').update(user).digest('hex').slice(0, 32)}`;
}
