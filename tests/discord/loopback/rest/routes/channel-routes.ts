import type { Parts } from '../../parts.js';
import { blankMessage, postMessage } from '../../send-message.js';
import { type Channel, channelTypes, type Guild, type Json, messageTypes } from '../../state/world.js';
import { knownMessage, needPermission, seenChannel, writableChannel } from '../access.js';
import { ApiError, invalidForm, missingAccess } from '../api-error.js';
import type { Call, Route } from '../route.js';

const hasThread = 1 << 5;

export function channelRoutes(parts: Parts): Route[] {
  const { world, wire } = parts;
  const guildOf = (call: Call) => {
    const guild = world.guilds.get(call.parameter('guild'));
    // Discord doesn't tell whether a guild exists that the bot is not in.
    if (!guild) throw missingAccess();
    return guild;
  };
  return [
    {
      name: 'GET /channels/:channel',
      run: (call) => ({ json: wire.channel(seenChannel(parts, call.parameter('channel'))) }),
    },
    {
      name: 'PATCH /channels/:channel',
      limit: { requests: 2, per: 600_000 },
      run(call) {
        const thread = seenChannel(parts, call.parameter('channel'));
        if (thread.ownerId !== world.bot.id) needPermission(parts, thread, 'ManageThreads');
        if (typeof call.body['name'] === 'string') thread.name = threadName(call.body);
        if (typeof call.body['archived'] === 'boolean') thread.archived = call.body['archived'];
        parts.gateway.publish(parts.gateway.events.thread('THREAD_UPDATE', thread));
        return { json: wire.channel(thread) };
      },
    },
    {
      name: 'POST /channels/:channel/typing',
      limit: { requests: 5, per: 5000 },
      run(call) {
        const { id } = writableChannel(parts, call.parameter('channel'));
        parts.typing.set(id, [...(parts.typing.get(id) ?? []), parts.clock.now()]);
        return undefined;
      },
    },
    {
      name: 'POST /channels/:channel/messages/:message/threads',
      run(call) {
        const channel = seenChannel(parts, call.parameter('channel'));
        const message = knownMessage(parts, channel, call.parameter('message'));
        if (message.threadId)
          throw new ApiError(400, 160004, 'A thread has already been created for this message');
        // The thread of a message has the message's id.
        const thread = startThread(parts, channel, call.body, message.id);
        message.threadId = thread.id;
        message.flags |= hasThread;
        postMessage(parts, {
          ...blankMessage(parts, thread, world.user(message.authorId)),
          type: messageTypes.threadStarter,
          referenceId: message.id,
        });
        parts.gateway.publish(parts.gateway.events.messageUpdated(message));
        return { json: wire.channel(thread) };
      },
    },
    {
      name: 'POST /channels/:channel/threads',
      run(call) {
        const channel = seenChannel(parts, call.parameter('channel'));
        return { json: wire.channel(startThread(parts, channel, call.body)) };
      },
    },
    {
      name: 'PUT /channels/:channel/thread-members/@me',
      run(call) {
        seenChannel(parts, call.parameter('channel'));
        return undefined;
      },
    },
    {
      name: 'POST /users/@me/channels',
      run(call) {
        const person = world.users.get(String(call.body['recipient_id']));
        if (!person || person === world.bot) throw new ApiError(400, 50033, 'Invalid Recipient(s)');
        return { json: wire.channel(world.dmWith(person)) };
      },
    },
    { name: 'GET /guilds/:guild', run: (call) => ({ json: wire.guild(guildOf(call)) }) },
    { name: 'GET /guilds/:guild/roles', run: (call) => ({ json: wire.roles(guildOf(call)) }) },
    {
      name: 'GET /guilds/:guild/channels',
      run: (call) => ({
        json: channelsOf(parts, guildOf(call), channelTypes.text).map((one) => wire.channel(one)),
      }),
    },
    {
      name: 'GET /guilds/:guild/threads/active',
      run(call) {
        const threads = channelsOf(parts, guildOf(call), channelTypes.thread).filter(
          ({ archived }) => !archived,
        );
        return { json: { threads: threads.map((one) => wire.channel(one)), members: [] } };
      },
    },
    {
      name: 'GET /guilds/:guild/members/:user',
      run(call) {
        const guild = guildOf(call);
        if (!guild.members.has(call.parameter('user'))) throw new ApiError(404, 10007, 'Unknown Member');
        return { json: wire.memberWithUser(guild, call.parameter('user')) };
      },
    },
  ];
}

function channelsOf({ world }: Parts, guild: Guild, type: Channel['type']): Channel[] {
  return [...world.channels.values()].filter(
    (channel) => channel.guildId === guild.id && channel.type === type,
  );
}

function startThread(parts: Parts, parent: Channel, body: Json, id?: string): Channel {
  if (parent.type !== channelTypes.text)
    throw new ApiError(400, 50024, 'Cannot execute action on this channel type');
  needPermission(parts, parent, 'CreatePublicThreads');
  const { world, gateway } = parts;
  const place = { guildId: parent.guildId ?? '', parentId: parent.id, ownerId: world.bot.id };
  const thread = world.addChannel({ type: channelTypes.thread, name: threadName(body), ...place }, id);
  gateway.publish(gateway.events.thread('THREAD_CREATE', thread));
  return thread;
}

function threadName(body: Json): string {
  const name = String(body['name'] ?? '');
  if (name.length >= 1 && name.length <= 100) return name;
  throw invalidForm('name', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
}
