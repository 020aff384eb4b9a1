import { oneLine } from '../../../core/text.js';
import type { PlaceNames } from './place-instructions.js';
import type { Place } from './types.js';

/** The name of a conversation in lists, until somebody gives it another: `#general · Our server`, `DM with anna`. */
export function placeTitle(
  { channelId, guildId }: Place,
  names: PlaceNames,
  person: string,
): string | undefined {
  const { name, thread } = names.channel(channelId) ?? {};
  if (guildId === undefined) return `DM with ${oneLine(person, 80)}`;
  if (name === undefined) return undefined;
  const parent = thread?.parentId === undefined ? undefined : names.channel(thread.parentId)?.name;
  const parts = [
    thread === undefined ? `#${name}` : name,
    ...(parent === undefined ? [] : [`#${parent}`]),
    names.guildName(guildId) ?? '',
  ];
  return parts
    .map((part) => oneLine(part, 60))
    .filter((part) => part !== '')
    .join(' · ');
}
