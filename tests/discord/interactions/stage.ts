import { onTestFinished } from 'vitest';
import { createLog } from '../../../src/config/log.js';
import { restApi } from '../../../src/gateway/channels/discord/client/rest-api.js';
import type { DiscordApi } from '../../../src/gateway/channels/discord/discord-api.js';
import { Interactions } from '../../../src/gateway/channels/discord/interactions/interactions.js';
import type { InteractionParts } from '../../../src/gateway/channels/discord/interactions/ports.js';
import { chatCommands } from '../../../src/gateway/commands/command-list.js';
import type { Gateway } from '../../../src/gateway/gateway.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../src/store/store.js';
import { type GatewayStage, type Client as HttpClient, setUpGateway } from '../../gateway/stage.js';
import type { LoopbackDiscord } from '../loopback/loopback-discord.js';
import { setUpDiscord } from '../loopback/stage.js';

export interface InteractionStage {
  readonly discord: LoopbackDiscord;
  readonly http: HttpClient;
  readonly gateway: Gateway;
  /** The gateway's name of `discord.channel`. */
  readonly channel: string;
  readonly problems: readonly Record<string, unknown>[];
  readonly registrations: number;
  readonly interactions: Interactions;
  /** Somebody writes a message that the gateway gets; returns it and its event. */
  say(text: string): Promise<{ message: ReturnType<LoopbackDiscord['people']['write']>; eventId: string }>;
  /** Brings what the gateway has said last, as the outbox would. */
  readonly store: Store;
  readonly api: DiscordApi;
  deliverLast(): Promise<boolean>;
  /** New parts on the same store, as after a restart. */
  restart(): Promise<void>;
}

/** A gateway over the demo agent, a loopback Discord, the real client, and the interactions between them. */
export async function setUpInteractions(
  settings: Record<string, string> = {},
  more: Partial<InteractionParts> = {},
): Promise<InteractionStage> {
  const home: GatewayStage = setUpGateway(settings);
  const [http, { discord, client }] = await Promise.all([home.start(), setUpDiscord()]);
  const { gateway } = http;
  const store = await openSqliteStore(`${home.root}/posts.db`);
  const problems: Record<string, unknown>[] = [];
  const channel = `discord:${discord.channel.id}`;
  const anna = discord.people.join('anna');
  let registrations = 0;
  const api = restApi(client.rest, async () => client.application.id, new AbortController().signal);
  const begin = () => {
    const interactions = new Interactions({
      api: {
        ...api,
        async setCommands(list) {
          await api.setCommands(list);
          registrations += 1;
        },
      },
      access: { may: async ({ name }) => name !== 'mallory' },
      store,
      log: createLog('warn', (line) => problems.push(JSON.parse(line))),
      commands: chatCommands,
      promptOf: async ({ content }) => ({ text: content }),
      noteAfterMs: 1,
      retryMs: 20,
      ...more,
    });
    interactions.start(gateway);
    interactions.connected({ applicationId: client.application.id });
    return interactions;
  };
  let interactions = begin();
  client.on('raw' as never, ((event: never) => interactions.handle(event)) as never);
  onTestFinished(async () => {
    await interactions.stop();
    await store.close();
  });
  return {
    ...{ discord, http, gateway, channel, problems, store, api },
    get registrations() {
      return registrations;
    },
    get interactions() {
      return interactions;
    },
    async say(text) {
      const message = discord.people.write(anna, discord.channel, text);
      const { event } = await gateway.receive({ channel, source: 'discord', text, messageId: message.id });
      return { message, eventId: event.id };
    },
    async deliverLast() {
      const message = (await gateway.messages(channel, { before: Number.MAX_SAFE_INTEGER, limit: 1 }))[0];
      if (message === undefined) throw new Error('Nothing was said');
      return interactions.deliver({ id: message.id, message, source: 'discord', attempts: 0 });
    },
    async restart() {
      await interactions.stop();
      interactions = begin();
    },
  };
}
