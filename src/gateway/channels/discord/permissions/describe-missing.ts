import type { AllowedLists } from '../access/may-speak.js';
import { inviteAddress, lackingIn, neededPermissions, type PermissionName } from './needed-permissions.js';
import type { SeenChannel, SeenGuild } from './seen-guild.js';

export interface Seen {
  readonly guilds: readonly SeenGuild[];
  /** The channels of the settings that the bot does not see. Those that are in none of the guilds, unless it is known better. */
  readonly unseen?: readonly string[] | undefined;
  readonly applicationId: string;
}

/** Text and announcements: what a server is about. Others are looked at where the settings name them. */
const ordinaryTypes: ReadonlySet<number> = new Set([0, 5]);
const namedChannels = 5;
const maxProblems = 10;

/**
 * What keeps the bot from answering where the settings allow it, in words, with what to do. Where they allow whole servers, channels
 * that it does not see are none of its business.
 */
export function describeMissing(
  seen: Seen,
  allowed: Pick<AllowedLists, 'guilds' | 'channels'>,
): readonly string[] {
  const { guilds, applicationId, unseen = notIn(guilds, allowed.channels) } = seen;
  const invite = inviteAddress(applicationId);
  if (guilds.length === 0) return [`The bot is in no server of Discord. Invite it: ${invite}`];
  const inScope = guilds.filter(({ id }) => allowed.guilds.length === 0 || allowed.guilds.includes(id));
  const problems = [
    ...allowed.guilds
      .filter((wanted) => !guilds.some(({ id }) => id === wanted))
      .map(
        (id) => `The bot is not in the Discord server ${id} of DISCORD_ALLOWED_GUILDS. Invite it: ${invite}`,
      ),
    ...unseen.map(notSeen),
    ...inScope.flatMap((guild) => missingIn(guild, allowed.channels)),
  ];
  if (problems.length <= maxProblems) return problems;
  const left = problems.length - maxProblems;
  return [...problems.slice(0, maxProblems), `There are ${left} more problems like these in Discord.`];
}

/** A server that is out of order may have them. */
function notIn(guilds: readonly SeenGuild[], wanted: readonly string[]): readonly string[] {
  if (guilds.some(({ channels }) => channels === undefined)) return [];
  return wanted.filter((id) => !guilds.some(({ channels = [] }) => channels.some((one) => one.id === id)));
}

function notSeen(channelId: string): string {
  return (
    `The bot does not see the Discord channel ${channelId} of DISCORD_ALLOWED_CHANNELS: it is in no server of the bot, an archived ` +
    'thread, or closed to it. Correct the id, or give the bot’s role "View Channel" there ("Edit Channel", "Permissions").'
  );
}

function missingIn({ name, channels }: SeenGuild, wanted: readonly string[]): readonly string[] {
  if (channels === undefined) return [];
  const server = `In the Discord server ${JSON.stringify(name)}`;
  const listed = channels.filter(({ id, type }) =>
    wanted.length > 0 ? wanted.includes(id) : ordinaryTypes.has(type),
  );
  const [view] = neededPermissions;
  const checked = wanted.length > 0 ? listed : listed.filter((one) => (one.permissions & view.bit) !== 0n);
  if (checked.length === 0 && listed.length > 0)
    return [
      `${server} the bot sees no channel. Give its role "View Channel": "Server Settings", "Roles", the bot’s role, ` +
        '"Permissions"; or, in a private channel, "Edit Channel", "Permissions".',
    ];
  return [...byLack(checked)].map(([lack, where]) => {
    const isEverywhere = where.length === checked.length && where.length > 1;
    const place = isEverywhere ? 'in all channels that it sees' : `in ${names(where)}`;
    const page = isEverywhere
      ? '"Server Settings", "Roles", the bot’s role, "Permissions"'
      : '"Edit Channel" of the channel, "Permissions", the bot’s role';
    return `${server} the bot lacks ${lack} ${place}. Switch it on: ${page}.`;
  });
}

/** Channels in which the same is missing are named together. */
function byLack(channels: readonly SeenChannel[]): ReadonlyMap<string, readonly SeenChannel[]> {
  const found = new Map<string, SeenChannel[]>();
  for (const channel of channels) {
    const lack = lackingIn(channel.type, channel.permissions);
    if (lack.length === 0) continue;
    const key = quoted(lack);
    found.set(key, [...(found.get(key) ?? []), channel]);
  }
  return found;
}

function quoted(lack: readonly PermissionName[]): string {
  return lack.map((name) => `"${name}"`).join(', ');
}

function names(channels: readonly SeenChannel[]): string {
  const shown = channels.slice(0, namedChannels).map(({ name }) => `#${name}`);
  const left = channels.length - shown.length;
  return `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}
