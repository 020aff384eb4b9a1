import type { DiscordPlaceStore } from '../../../store/discord/places.js';
import { channelIdOf, channelOf, discordPrefix } from './types.js';

/** The channel of a thread, as the gateway calls both. */
export async function parentOf(
  store: Pick<DiscordPlaceStore, 'discordPlace'>,
  channel: string,
): Promise<string | undefined> {
  if (!channel.startsWith(discordPrefix)) return undefined;
  const place = await store.discordPlace(channelIdOf(channel));
  return place?.parentId === undefined ? undefined : channelOf(place.parentId);
}
