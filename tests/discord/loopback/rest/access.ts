import type { Parts } from '../parts.js';
import type { Permission } from '../state/permissions.js';
import { type Channel, channelTypes, type Message } from '../state/world.js';
import { ApiError, missingAccess, missingPermissions, unknownChannel, unknownMessage } from './api-error.js';

/** The channel, if the bot can see it. */
export function seenChannel({ world }: Parts, id: string): Channel {
  const channel = world.channels.get(id);
  if (!channel) throw unknownChannel();
  if (!world.permissionsIn(channel).has('ViewChannel')) throw missingAccess();
  return channel;
}

export function needPermission({ world }: Parts, channel: Channel, permission: Permission): void {
  if (channel.type !== channelTypes.dm && !world.permissionsIn(channel).has(permission))
    throw missingPermissions();
}

/** The channel, if the bot can write there. */
export function writableChannel(parts: Parts, id: string): Channel {
  const channel = seenChannel(parts, id);
  if (channel.type === channelTypes.dm) {
    const person = parts.world.user(channel.recipientId ?? '');
    if (person.dmClosed || person.bot) throw new ApiError(403, 50007, 'Cannot send messages to this user');
  }
  needPermission(
    parts,
    channel,
    channel.type === channelTypes.thread ? 'SendMessagesInThreads' : 'SendMessages',
  );
  return channel;
}

export function knownMessage({ world }: Parts, channel: Channel, id: string): Message {
  const message = world.message(channel.id, id);
  if (!message || message.interaction?.ephemeral) throw unknownMessage();
  return message;
}
