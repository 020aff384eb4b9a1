import type { Place, Speaker } from '../types.js';

/** The lists of the settings, as ids. */
export interface AllowedLists {
  readonly users: readonly string[];
  readonly roles: readonly string[];
  readonly guilds: readonly string[];
  readonly channels: readonly string[];
}

/**
 * Closed by default. Lists of places narrow: with several of them, a message has to be in a place of each. Where people are listed
 * too, only they may speak there, and without any, everybody there may. A paired person is one who is listed. Direct messages are
 * a place of nobody's guild: only people who are named may write them, since a role is held in a guild.
 */
export function maySpeak(lists: AllowedLists, speaker: Speaker, place: Place, paired: boolean): boolean {
  const { users, roles, guilds, channels } = lists;
  const named = paired || users.includes(speaker.id);
  if (place.guildId === undefined) return named;
  const narrowed = guilds.length > 0 || channels.length > 0;
  if (guilds.length > 0 && !guilds.includes(place.guildId)) return false;
  if (channels.length > 0 && !isIn(channels, place)) return false;
  if (named || speaker.roles.some((role) => roles.includes(role))) return true;
  return narrowed && users.length === 0 && roles.length === 0;
}

function isIn(channels: readonly string[], { channelId, parentId }: Place): boolean {
  return channels.includes(channelId) || (parentId !== undefined && channels.includes(parentId));
}
