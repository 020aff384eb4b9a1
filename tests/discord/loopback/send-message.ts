import { readMentions } from './limits/mentions.js';
import { checkMessage, checkNotEmpty, trimmed } from './limits/message-limits.js';
import type { Parts } from './parts.js';
import { ApiError } from './rest/api-error.js';
import type { Call } from './rest/route.js';
import {
  type Attachment,
  type Channel,
  type Json,
  type Message,
  messageTypes,
  type User,
} from './state/world.js';

/** A deferred answer, as long as people see "thinking…". */
export const loadingFlag = 1 << 7;

/** Writes a message of the bot, if Discord allows it. */
export function sendMessage(
  parts: Parts,
  channel: Channel,
  call: Pick<Call, 'body' | 'files'>,
  interaction?: NonNullable<Message['interaction']>,
): Message {
  const { body } = call;
  checkMessage(body, call.files, parts);
  checkNotEmpty(body, call.files.length, parts.violations);
  const content = trimmed(body['content']);
  const repliedTo = referenced(parts, channel, body['message_reference']);
  const allowed = (body['allowed_mentions'] ?? undefined) as Json | undefined;
  const message: Message = {
    ...blankMessage(parts, channel, parts.world.bot),
    type: interaction ? messageTypes.command : repliedTo ? messageTypes.reply : messageTypes.ordinary,
    ...(repliedTo && { referenceId: repliedTo.id }),
    ...(given(body['nonce']) && { nonce: body['nonce'] as string | number }),
    ...(interaction && { interaction }),
    content,
    embeds: list(body['embeds']),
    components: list(body['components']),
    attachments: uploaded(parts, call.files),
    flags: Number(body['flags'] ?? 0),
    ...readMentions(content, allowed, repliedTo?.authorId, parts.world),
  };
  postMessage(parts, message);
  return message;
}

export function blankMessage({ clock }: Parts, channel: Channel, author: User): Message {
  return {
    id: clock.nextId(),
    channelId: channel.id,
    authorId: author.id,
    createdAt: clock.now(),
    type: messageTypes.ordinary,
    content: '',
    embeds: [],
    components: [],
    attachments: [],
    flags: 0,
    deleted: false,
    pinged: [],
    mentioned: [],
    earlier: [],
  };
}

/** Puts a message into its channel, and tells all who listen. An archived thread is opened again by it. */
export function postMessage({ world, gateway }: Parts, message: Message): void {
  const channel = world.channels.get(message.channelId);
  if (channel?.archived) {
    channel.archived = false;
    gateway.publish(gateway.events.thread('THREAD_UPDATE', channel));
  }
  world.addMessage(message);
  if (!message.interaction?.ephemeral) gateway.publish(gateway.events.messageCreated(message));
}

/** Changes what a message says. Nobody is notified of an edit. */
export function editMessage(parts: Parts, message: Message, call: Pick<Call, 'body' | 'files'>): void {
  const { body, files } = call;
  checkMessage(body, files, parts);
  const kept = Array.isArray(body['attachments'])
    ? message.attachments.filter(({ id }) => list(body['attachments']).some((given) => given['id'] === id))
    : message.attachments;
  const after = { content: message.content, embeds: message.embeds, components: message.components, ...body };
  checkNotEmpty(after, kept.length + files.length, parts.violations);
  // The place of a deferred answer has said nothing yet.
  if ((message.flags & loadingFlag) === 0) message.earlier.push(message.content);
  message.flags &= ~loadingFlag;
  message.content = trimmed(after.content);
  message.embeds = list(after.embeds);
  message.components = list(after.components);
  message.attachments = [...kept, ...uploaded(parts, files)];
  message.editedAt = parts.clock.now();
  if (!message.interaction?.ephemeral) parts.gateway.publish(parts.gateway.events.messageUpdated(message));
}

export function deleteMessage(parts: Parts, message: Message): void {
  message.deleted = true;
  if (!message.interaction?.ephemeral) parts.gateway.publish(parts.gateway.events.messageDeleted(message));
}

function referenced(parts: Parts, channel: Channel, reference: unknown): Message | undefined {
  const { message_id: id, fail_if_not_exists: fails = true } = (reference ?? {}) as Json;
  if (id === undefined) return undefined;
  if (!parts.world.permissionsIn(channel).has('ReadMessageHistory')) {
    throw new ApiError(400, 160002, 'Cannot reply without permission to read message history');
  }
  const message = parts.world.message(channel.id, String(id));
  if (!message && fails) {
    const errors = {
      message_reference: { _errors: [{ code: 'REPLIES_UNKNOWN_MESSAGE', message: 'Unknown message' }] },
    };
    throw new ApiError(400, 50035, 'Invalid Form Body', errors);
  }
  return message;
}

function uploaded({ clock }: Parts, files: Call['files']): Attachment[] {
  return files.map(({ name, bytes, contentType }) => ({
    id: clock.nextId(),
    filename: name,
    bytes,
    contentType,
  }));
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
