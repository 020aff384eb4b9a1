import { oneLine } from '../../../../core/text.js';
import type { InteractionKey } from '../discord-api.js';
import type { Place, Speaker } from '../types.js';

/** An interaction, as far as it concerns the bot. */
export type ReadInteraction = ReadCommand | ReadClick;

interface Origin {
  readonly key: InteractionKey;
  readonly speaker: Speaker;
  readonly place: Place;
  /** False if the bot can't write there: it is in the place only with its answers. */
  readonly canWrite: boolean;
}

export interface ReadCommand extends Origin {
  readonly type: 'command';
  readonly name: string;
  readonly argument: string;
}

export interface ReadClick extends Origin {
  readonly type: 'click';
  readonly customId: string;
  readonly messageId: string;
}

interface WirePerson {
  readonly id: string;
  readonly username?: string;
  readonly global_name?: string | null;
}

interface WireMember {
  readonly user?: WirePerson;
  readonly nick?: string | null;
  readonly roles?: readonly string[];
}

export interface WireInteraction {
  readonly id: string;
  readonly token: string;
  readonly type: number;
  readonly channel_id?: string;
  readonly guild_id?: string;
  readonly channel?: { readonly type?: number; readonly parent_id?: string | null };
  readonly member?: WireMember;
  readonly user?: WirePerson;
  readonly app_permissions?: string;
  readonly message?: { readonly id: string };
  readonly data?: {
    readonly name?: string;
    readonly custom_id?: string;
    readonly options?: readonly { readonly name: string; readonly value?: unknown }[];
  };
}

/** Undefined if it is of a kind that the bot never asks for, such as a form. */
export function readInteraction(wire: WireInteraction): ReadInteraction | undefined {
  const { id, token, type, data, message, channel_id: channelId } = wire;
  const person = wire.member?.user ?? wire.user;
  if (channelId === undefined || person === undefined) return undefined;
  const origin: Origin = {
    key: { id, token },
    speaker: speakerOf(person, wire.member),
    place: { channelId, parentId: parentOf(wire), guildId: wire.guild_id },
    canWrite: canWrite(wire),
  };
  if (type === 2 && data?.name !== undefined) {
    const argument = String(data.options?.[0]?.value ?? '').trim();
    return { ...origin, type: 'command', name: data.name, argument };
  }
  if (type === 3 && data?.custom_id !== undefined && message !== undefined)
    return { ...origin, type: 'click', customId: data.custom_id, messageId: message.id };
  return undefined;
}

export function speakerOf(person: WirePerson, member: WireMember | undefined): Speaker {
  const name = member?.nick ?? person.global_name ?? person.username ?? person.id;
  return { id: person.id, name: oneLine(name, 80), roles: member?.roles ?? [] };
}

/** Threads have the types 10 to 12. The parent of any other channel is a category. */
function parentOf({ channel }: WireInteraction): string | undefined {
  const type = channel?.type ?? 0;
  return type >= 10 && type <= 12 ? (channel?.parent_id ?? undefined) : undefined;
}

const administrator = 1n << 3n;
const viewChannel = 1n << 10n;
const sendMessages = 1n << 11n;
const sendInThreads = 1n << 38n;

/** Discord tells with each interaction what the bot may do there. In a DM it may always write. */
function canWrite(wire: WireInteraction): boolean {
  if (wire.guild_id === undefined || !/^\d+$/.test(wire.app_permissions ?? '')) return true;
  const held = BigInt(wire.app_permissions ?? '0');
  if ((held & administrator) !== 0n) return true;
  const needed = viewChannel | (parentOf(wire) === undefined ? sendMessages : sendInThreads);
  return (held & needed) === needed;
}
