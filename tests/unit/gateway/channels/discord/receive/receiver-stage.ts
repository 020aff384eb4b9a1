import { onTestFinished } from 'vitest';
import { createLog } from '../../../../../../src/config/log.js';
import { defaultMissedLimits } from '../../../../../../src/gateway/channels/discord/receive/fetch-missed.js';
import type { DiscordMessage } from '../../../../../../src/gateway/channels/discord/receive/read-message.js';
import {
  Receiver,
  type ReceiverParts,
} from '../../../../../../src/gateway/channels/discord/receive/receiver.js';
import { idAt } from '../../../../../../src/gateway/channels/discord/snowflake.js';
import type { GatewayFace, IncomingMessage } from '../../../../../../src/gateway/channels/types.js';
import type { DiscordPlace } from '../../../../../../src/store/discord/places.js';

export const botId = '900';
export const annaId = '7';

/** A Discord in memory, with what stays on disk: receivers on it end and begin as a process does. */
export class ReceiverStage {
  readonly channels = new Map<string, DiscordMessage[]>();
  readonly places = new Map<string, DiscordPlace>();
  /** What the gateway has on disk. */
  readonly received: IncomingMessage[] = [];
  readonly sent: { readonly channelId: string; readonly content: string }[] = [];
  readonly log: Record<string, unknown>[] = [];
  readonly asked: string[] = [];
  /** Called before each step that may wait or fail. */
  before: (step: string, of: string) => Promise<void> | void = () => {};
  #ids = 0;

  /** A message to the bot, which is in its channel from then on. */
  write(channelId: string, content: string, more: Partial<DiscordMessage> = {}): DiscordMessage {
    const message = {
      id: String(BigInt(idAt(Date.now())) + BigInt(++this.#ids)),
      channel_id: channelId,
      content,
      type: 0,
      author: { id: annaId, username: 'anna' },
      mentions: content.includes(`<@${botId}>`) ? [{ id: botId, username: 'bot' }] : [],
      mention_roles: [],
      attachments: [],
      embeds: [],
      edited_timestamp: null,
      ...more,
    } as unknown as DiscordMessage;
    this.channels.set(channelId, [...(this.channels.get(channelId) ?? []), message]);
    return message;
  }

  /** A receiver that knows what is on disk. The guild has all channels. */
  begin(more: Partial<ReceiverParts> = {}): Receiver {
    const parts: ReceiverParts = {
      api: {
        messages: async (channelId, { after, before, limit }) => {
          this.asked.push(`messages of ${channelId}`);
          await this.before('messages', channelId);
          const all = this.channels.get(channelId) ?? [];
          const newer = all.filter(({ id }) => BigInt(id) > BigInt(after ?? 0));
          if (after !== undefined) return newer.slice(0, limit);
          return newer
            .filter(({ id }) => before === undefined || BigInt(id) < BigInt(before))
            .slice(-limit)
            .reverse();
        },
        member: async (_guild, userId) => {
          this.asked.push(`member ${userId}`);
          return { roles: [] } as never;
        },
        send: async (channelId, { content }) => {
          this.sent.push({ channelId, content: content ?? '' });
          return {} as never;
        },
      } as Partial<ReceiverParts['api']> as ReceiverParts['api'],
      contextMessages: 0,
      access: { may: async () => true, admit: async () => true },
      session: () => ({ bot: { id: botId }, applicationId: botId }),
      known: {
        channel: () => ({ guildId: '1' }),
        roleName: () => undefined,
        ownRole: () => '901',
        guildsKnown: async () => {},
      },
      store: {
        discordPlaces: async () => [...this.places.values()],
        discordPlace: async (channelId) => this.places.get(channelId),
        saveDiscordPlace: async (place) => {
          await this.before('place', place.channelId);
          this.places.set(place.channelId, place);
        },
        forgetDiscordPlace: async (channelId) => void this.places.delete(channelId),
      },
      log: createLog('info', (line) => this.log.push(JSON.parse(line))),
      now: Date.now,
      isCommand: (text) => text.startsWith('/'),
      saveAttachments: async ({ id }) => {
        await this.before('attachments', id);
        return { files: [], problems: [] };
      },
      missed: defaultMissedLimits,
      ...more,
    };
    const receiver = new Receiver(parts, [...this.places.values()]);
    receiver.start({
      receive: async (message: IncomingMessage) => {
        await this.before('receive', message.messageId ?? '');
        if (!this.received.some(({ messageId }) => messageId === message.messageId))
          this.received.push(message);
        return {};
      },
      eventOf: async (_source: string, _channel: string, id: string) =>
        this.received.find(({ messageId }) => messageId === id),
    } as unknown as GatewayFace);
    // One that was killed in the middle of a step never stops.
    onTestFinished(() =>
      Promise.race([receiver.stop(), new Promise<void>((resolve) => setImmediate(resolve))]),
    );
    return receiver;
  }

  /** The first lines of what was received, in its order. */
  get texts(): readonly string[] {
    return this.received.map(({ text }) => text.split('\n')[0] ?? '');
  }
}

export function created(message: DiscordMessage) {
  return { t: 'MESSAGE_CREATE', d: { ...message, guild_id: '1', member: { roles: [] } } } as never;
}

let edits = 0;

export function edited(message: DiscordMessage, content: string) {
  const mentions = content.includes(`<@${botId}>`) ? message.mentions : [];
  const d = { ...message, content, mentions, edited_timestamp: `${++edits}`, guild_id: '1' };
  return { t: 'MESSAGE_UPDATE', d } as never;
}

export function deleted({ id, channel_id }: DiscordMessage) {
  return { t: 'MESSAGE_DELETE', d: { id, channel_id } } as never;
}

/** A wait that a test ends. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
