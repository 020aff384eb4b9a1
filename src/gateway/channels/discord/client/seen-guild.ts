import type { Guild } from 'discord.js';
import type { SeenGuild } from '../permissions/seen-guild.js';

/** What discord.js knows of a server. */
export function seenGuild(guild: Guild): SeenGuild {
  const { id, name, available, members } = guild;
  const { me } = members;
  if (!available || me === null) return { id, name };
  const channels = guild.channels.cache.map((channel) => ({
    ...{ id: channel.id, name: channel.name, type: Number(channel.type) },
    // Those of a thread are its channel's, which may be gone.
    permissions: channel.permissionsFor(me)?.bitfield ?? 0n,
  }));
  return { id, name, channels };
}
