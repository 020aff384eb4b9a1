import { lackingIn, type PermissionName } from './needed-permissions.js';
import type { SeenGuild } from './seen-guild.js';

const threads: ReadonlySet<number> = new Set([10, 11, 12]);

/** The permission without which the bot can't answer in a channel. Undefined if it can, or if that is not known. */
export function lacksToWrite(guilds: readonly SeenGuild[], channelId: string): PermissionName | undefined {
  const channel = guilds.flatMap(({ channels = [] }) => channels).find(({ id }) => id === channelId);
  if (channel === undefined) return undefined;
  const needed = threads.has(channel.type) ? 'Send Messages in Threads' : 'Send Messages';
  return lackingIn(channel.type, channel.permissions).find((name) => name === needed);
}
