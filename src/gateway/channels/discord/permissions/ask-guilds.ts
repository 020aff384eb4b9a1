import type { AllowedLists } from '../access/may-speak.js';
import { permissionsIn, type WireGuild, type WireOverwrite } from './permissions-in.js';
import type { SeenChannel, SeenGuild } from './seen-guild.js';

/** Asks Discord's HTTP interface. Undefined if there is no such thing, or the bot may not see it. */
export type Ask = <T>(path: string) => Promise<T | undefined>;

interface WireChannel {
  readonly id: string;
  readonly name?: string | null;
  readonly type: number;
  readonly guild_id?: string;
  readonly parent_id?: string | null;
  readonly permission_overwrites?: readonly WireOverwrite[];
}

/** Each server takes three requests, and each channel that the settings name one or two. */
const maxGuilds = 5;
const maxChannels = 20;

/**
 * The servers of the bot, with what it may do in the channels that the settings are about, and which of those it does not see: of
 * the first few of them.
 */
export async function askGuilds(
  ask: Ask,
  allowed: Pick<AllowedLists, 'guilds' | 'channels'>,
): Promise<{
  readonly bot: { readonly id: string; readonly name: string } | undefined;
  readonly guilds: readonly SeenGuild[];
  readonly unseen: readonly string[];
}> {
  const guilds = (await ask<{ id: string; name: string }[]>('/users/@me/guilds?limit=200')) ?? [];
  const bot = await ask<{ id: string; username: string }>('/users/@me');
  const [named, unseen]: [WireChannel[], string[]] = [[], []];
  for (const id of allowed.channels.slice(0, maxChannels)) {
    const channel = await ask<WireChannel>(`/channels/${id}`);
    if (channel === undefined) unseen.push(id);
    else named.push(await withParentsOverwrites(ask, channel));
  }
  const isMeant = ({ id }: { readonly id: string }) =>
    (allowed.guilds.length === 0 || allowed.guilds.includes(id)) &&
    (allowed.channels.length === 0 || named.some((channel) => channel.guild_id === id));
  const meant = guilds.filter(isMeant).slice(0, maxGuilds);
  const seen: SeenGuild[] = [];
  for (const { id, name } of guilds) {
    const isLookedAt = bot !== undefined && meant.some((one) => one.id === id);
    const channels = isLookedAt ? await channelsOf(ask, id, bot.id, named, allowed.channels) : undefined;
    seen.push({ id, name, channels });
  }
  return { bot: bot && { id: bot.id, name: bot.username }, guilds: seen, unseen };
}

async function channelsOf(
  ask: Ask,
  guildId: string,
  botId: string,
  named: readonly WireChannel[],
  wanted: readonly string[],
): Promise<readonly SeenChannel[] | undefined> {
  const guild = await ask<WireGuild>(`/guilds/${guildId}`);
  const member = await ask<{ readonly roles: readonly string[] }>(`/guilds/${guildId}/members/${botId}`);
  const channels =
    wanted.length > 0
      ? named.filter((channel) => channel.guild_id === guildId)
      : await ask<WireChannel[]>(`/guilds/${guildId}/channels`);
  if (guild === undefined || member === undefined || channels === undefined) return undefined;
  return channels.map(({ id, name, type, permission_overwrites: overwrites = [] }) => ({
    ...{ id, name: name ?? id, type },
    permissions: permissionsIn(guild, { userId: botId, roles: member.roles }, overwrites),
  }));
}

/** A thread has the permissions of its channel. */
async function withParentsOverwrites(ask: Ask, channel: WireChannel): Promise<WireChannel> {
  if (channel.type < 10 || channel.type > 12 || !channel.parent_id) return channel;
  const parent = await ask<WireChannel>(`/channels/${channel.parent_id}`);
  return { ...channel, permission_overwrites: parent?.permission_overwrites ?? [] };
}
