import { trimmed } from '../../limits/message-limits.js';
import type { Parts } from '../../parts.js';
import { deleteMessage, editMessage, sendMessage } from '../../send-message.js';
import { withoutContent } from '../../socket/events.js';
import { type Channel, channelTypes, type Json, type Message } from '../../state/world.js';
import { knownMessage, needPermission, seenChannel, writableChannel } from '../access.js';
import { ApiError, invalidForm, missingAccess, missingPermissions, unknownMessage } from '../api-error.js';
import type { Call, Route } from '../route.js';

/** How long Discord knows a nonce. Its documentation says "the past few minutes". */
export const nonceWindow = 3 * 60_000;

const fivePerFiveSeconds = { requests: 5, per: 5000 };

export function messageRoutes(parts: Parts): Route[] {
  const channelOf = (call: Call) => seenChannel(parts, call.parameter('channel'));
  const messageOf = (call: Call) => knownMessage(parts, channelOf(call), call.parameter('message'));
  const show = (message: Message) => readable(parts, message);
  return [
    {
      name: 'GET /channels/:channel/messages',
      limit: fivePerFiveSeconds,
      run: (call) => ({ json: history(parts, channelOf(call), call.query).map(show) }),
    },
    {
      name: 'POST /channels/:channel/messages',
      limit: fivePerFiveSeconds,
      run(call) {
        const channel = writableChannel(parts, call.parameter('channel'));
        if (call.files.length > 0) needPermission(parts, channel, 'AttachFiles');
        const message = alreadySent(parts, channel, call.body) ?? sendMessage(parts, channel, call);
        rememberNonce(parts, message, call.body);
        return {
          json: { ...show(message), ...(message.nonce === undefined ? {} : { nonce: message.nonce }) },
        };
      },
    },
    {
      name: 'GET /channels/:channel/messages/:message',
      limit: fivePerFiveSeconds,
      run(call) {
        if (!parts.world.permissionsIn(channelOf(call)).has('ReadMessageHistory')) throw missingAccess();
        return { json: show(messageOf(call)) };
      },
    },
    {
      name: 'PATCH /channels/:channel/messages/:message',
      limit: fivePerFiveSeconds,
      run(call) {
        const message = messageOf(call);
        if (message.authorId !== parts.world.bot.id) {
          parts.violations.record('not-ours', `edits message ${message.id}`);
          throw new ApiError(403, 50005, 'Cannot edit a message authored by another user');
        }
        editMessage(parts, message, call);
        return { json: show(message) };
      },
    },
    {
      name: 'DELETE /channels/:channel/messages/:message',
      limit: { requests: 5, per: 1000 },
      run(call) {
        const message = messageOf(call);
        const channel = channelOf(call);
        if (message.authorId !== parts.world.bot.id) {
          if (channel.type === channelTypes.dm)
            throw new ApiError(403, 50003, 'Cannot execute action on a DM channel');
          if (!parts.world.permissionsIn(channel).has('ManageMessages')) throw missingPermissions();
        }
        deleteMessage(parts, message);
        return undefined;
      },
    },
    {
      name: 'PUT /channels/:channel/messages/:message/reactions/:emoji/@me',
      limit: { requests: 1, per: 250 },
      run(call) {
        messageOf(call);
        needPermission(parts, channelOf(call), 'AddReactions');
        return undefined;
      },
    },
  ];
}

/** Newest first. Without the permission to read the history, it is empty. */
function history(parts: Parts, channel: Channel, query: URLSearchParams): Message[] {
  const limit = Number(query.get('limit') ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalidForm('limit', 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.');
  }
  if (!parts.world.permissionsIn(channel).has('ReadMessageHistory')) return [];
  const all = parts.world.messagesOf(channel.id).filter(({ interaction }) => !interaction?.ephemeral);
  const older = (id: string) => all.filter((message) => BigInt(message.id) < BigInt(id));
  const newer = (id: string) => all.filter((message) => BigInt(message.id) > BigInt(id));
  const [before, after, around] = [query.get('before'), query.get('after'), query.get('around')];
  if (around !== null) {
    const half = Math.floor(limit / 2);
    const middle = all.filter(({ id }) => id === around);
    return [...older(around).slice(-half), ...middle, ...newer(around).slice(0, half)].reverse();
  }
  // The oldest ones behind `after`, and these newest first, too.
  if (after !== null) return newer(after).slice(0, limit).reverse();
  return (before === null ? all : older(before)).slice(-limit).reverse();
}

/** Discord gives back the first message with the same nonce of the same author, unless that has been deleted. */
function alreadySent(parts: Parts, channel: Channel, body: Json): Message | undefined {
  if (body['enforce_nonce'] !== true) return undefined;
  const since = parts.clock.now() - nonceWindow;
  const first = parts.sentNonces.find(
    ({ nonce, message }) => nonce === String(body['nonce']) && message.createdAt > since,
  )?.message;
  if (!first) return undefined;
  if (first.channelId !== channel.id) {
    parts.violations.record(
      'nonce',
      `${body['nonce']} in a second channel: the first channel's message comes back`,
    );
  } else if (first.content !== trimmed(body['content']) && first.earlier.length === 0) {
    parts.violations.record('nonce', `${body['nonce']} with another text: what was sent first stays`);
  }
  if (first.deleted) throw unknownMessage();
  return first;
}

function rememberNonce({ sentNonces }: Parts, message: Message, { nonce }: Json): void {
  if (nonce === undefined || nonce === null || nonce === '') return;
  if (!sentNonces.some((sent) => sent.message === message))
    sentNonces.push({ nonce: String(nonce), message });
}

/** Without the switch for message content, Discord hides it here, too. */
function readable({ world, wire, gateway }: Parts, message: Message): Json {
  const isDirect = world.channels.get(message.channelId)?.type === channelTypes.dm;
  const always = isDirect || message.authorId === world.bot.id || message.mentioned.includes(world.bot.id);
  const data = wire.message(message);
  return always || gateway.allowed.messageContent ? data : withoutContent(data);
}
