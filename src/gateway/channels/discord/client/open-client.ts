import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  type ClientOptions,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  Options,
  Partials,
  REST,
} from 'discord.js';
import type { Log } from '../../../../config/log.js';
import { within } from '../../../../core/wait.js';
import type { DiscordApi } from '../discord-api.js';
import { explainClosing, type FinalProblem } from '../explain-closing.js';
import type { SeenGuild } from '../permissions/seen-guild.js';
import type { DiscordEvent, DiscordSession, Known } from '../types.js';
import { GuildsKnown } from './guilds-known.js';
import { restApi, uploadWithinMs } from './rest-api.js';
import { seenGuild } from './seen-guild.js';

export interface ClientSettings {
  readonly token: string;
  /** In place of https://discord.com/api: a proxy, or a test server. */
  readonly apiUrl?: string | undefined;
  readonly log: Log;
  /** Every event, in the order of its session. */
  onEvent(event: DiscordEvent): void;
  /** A session has begun: what happened before it is not told. */
  onSession(session: DiscordSession): void;
  /** The connection is there, or is not. A final problem is not tried again. */
  onState(state: ConnectionState): void;
  /** For tests. */
  readonly options?: Partial<ClientOptions> | undefined;
  readonly firstDelayMs?: number | undefined;
}

export type ConnectionState =
  | { readonly type: 'connecting'; readonly reason?: string | undefined }
  | { readonly type: 'connected' }
  | { readonly type: 'failed'; readonly problem: FinalProblem };

export interface DiscordClient extends Known {
  readonly api: DiscordApi;
  guildName(guildId: string): string | undefined;
  /** The servers of the bot, with what it may do in their channels. */
  guilds(): readonly SeenGuild[];
  /** Ends the connection, and every request that waits. */
  close(): Promise<void>;
}

export type OpenClient = (settings: ClientSettings) => DiscordClient;

const longestDelayMs = 5 * 60_000;
const longestCloseMs = 2000;

/** Connects to Discord in the background, for as long as it takes. */
export const openClient: OpenClient = (given) => {
  const settings = withOneEnd(given);
  const { token, log, onState } = settings;
  const closing = new AbortController();
  const { signal } = closing;
  // By itself it would send a message again whose answer was lost, at once or behind a rate limit of minutes, when Discord has
  // forgotten the nonce: the message would be there twice. Whoever sends one looks first: see deliver.ts.
  const rest = new REST({ ...restOptions(settings), retries: 0 }).setToken(token);
  // Its time-out is for all of its requests.
  const uploads = new REST({ ...restOptions(settings), retries: 0, timeout: uploadWithinMs }).setToken(token);
  let session: DiscordSession | undefined;
  let asked: Promise<string> | undefined;
  const applicationId = async () => {
    if (session !== undefined) return session.applicationId;
    asked ??= (rest.get('/applications/@me', { signal }) as Promise<{ id: string }>).then(({ id }) => id);
    asked.catch(() => {
      asked = undefined;
    });
    return asked;
  };
  let client: Client | undefined;
  const guilds = new GuildsKnown();

  let looking: Promise<void> | undefined;
  /** Discord has refused a request. If it refuses another one too, the token has been reset: the socket may not have noticed yet. */
  const tokenRefused = () => {
    for (const one of [rest, uploads]) one.setToken(token);
    looking ??= rest
      .get('/users/@me', { signal })
      .then(() => undefined, refuseToken)
      .finally(() => {
        looking = undefined;
      });
  };
  const refuseToken = async (error: unknown) => {
    for (const one of [rest, uploads]) one.setToken(token);
    const problem = explainClosing(4004);
    if (!(error instanceof DiscordAPIError) || error.status !== 401 || problem === undefined) return;
    onState({ type: 'failed', problem });
    await client?.destroy().catch(() => undefined);
  };

  const connect = async () => {
    let delay = settings.firstDelayMs ?? 1000;
    for (;;) {
      client = makeClient(settings);
      guilds.follow(client);
      const outcome = await logIn(client, settings, (begun) => {
        session = begun;
      });
      if (signal.aborted) await client.destroy().catch(() => undefined);
      if (signal.aborted || outcome === undefined) return;
      await client.destroy().catch(() => undefined);
      if (typeof outcome !== 'string') return onState({ type: 'failed', problem: outcome });
      onState({ type: 'connecting', reason: outcome });
      log.warn('Discord is out of reach: trying again', { error: outcome, inMs: delay });
      await sleep(delay, undefined, { signal });
      delay = Math.min(delay * 2, longestDelayMs);
    }
  };
  const connecting = connect().catch((error: unknown) => {
    if (!signal.aborted) log.error('the connection to Discord failed', { error });
  });

  return {
    api: restApi(rest, applicationId, signal, { onRefusedToken: tokenRefused, uploads }),
    channel(channelId) {
      const channel = client?.channels.cache.get(channelId);
      if (channel === undefined) return undefined;
      return {
        name: 'name' in channel ? (channel.name ?? undefined) : undefined,
        guildId: 'guildId' in channel ? channel.guildId : undefined,
        thread: channel.isThread()
          ? { parentId: channel.parentId ?? undefined, ownerId: channel.ownerId ?? undefined }
          : undefined,
      };
    },
    guildName: (guildId) => client?.guilds.cache.get(guildId)?.name,
    roleName: (guildId, roleId) => client?.guilds.cache.get(guildId)?.roles.cache.get(roleId)?.name,
    ownRole: (guildId) =>
      client?.guilds.cache.get(guildId)?.roles.cache.find(({ tags }) => tags?.botId === session?.bot.id)?.id,
    guilds: () => client?.guilds.cache.map(seenGuild) ?? [],
    guildsKnown: () => guilds.wait(),
    async close() {
      closing.abort();
      // @discordjs/ws 1.2 never ends the destruction of a client that logs in, and connects it again: it is let in first.
      await within(longestCloseMs, connecting);
      if (client !== undefined)
        await within(
          longestCloseMs,
          client.destroy().catch(() => undefined),
        );
      await looking;
      for (const one of [rest, uploads]) {
        one.clearHashSweeper();
        one.clearHandlerSweeper();
      }
    },
  };
};

/** Nothing comes after a final problem: it is told once, and stays. */
function withOneEnd(settings: ClientSettings): ClientSettings {
  let isOver = false;
  return {
    ...settings,
    onState(state) {
      if (isOver) return;
      isOver = state.type === 'failed';
      settings.onState(state);
    },
  };
}

/** Undefined if it is connected; a reason that may pass, as a text, or one that won't. */
async function logIn(
  client: Client,
  settings: ClientSettings,
  onBegun: (session: DiscordSession) => void,
): Promise<string | FinalProblem | undefined> {
  const { token, log, onEvent, onSession, onState } = settings;
  let closedWith: FinalProblem | undefined;
  let isIn = false;
  client.on(Events.Raw, (event: DiscordEvent) => {
    if (event.t === 'READY') {
      const { user, application, guilds: all } = event.d;
      const session = {
        ...{ bot: { id: user.id, name: user.username }, applicationId: application.id },
        servers: all.length,
      };
      onBegun(session);
      onState({ type: 'connected' });
      onSession(session);
    }
    if (event.t === 'RESUMED') onState({ type: 'connected' });
    onEvent(event);
  });
  client.on(Events.ShardDisconnect, ({ code }) => {
    closedWith = explainClosing(code);
    if (!isIn || closedWith === undefined) return;
    onState({ type: 'failed', problem: closedWith });
    void client.destroy();
  });
  client.on(Events.ShardReconnecting, () => {
    if (isIn) onState({ type: 'connecting' });
  });
  // Without a listener an error would end the process.
  client.on(Events.Error, (error) => log.warn('an error of the connection to Discord', { error }));
  client.on(Events.ShardError, (error) => log.debug('an error of the socket to Discord', { error }));
  try {
    await client.login(token);
    isIn = true;
    return undefined;
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: string };
    return closedWith ?? (code === 'TokenInvalid' ? explainClosing(4004) : undefined) ?? String(message);
  }
}

function makeClient(settings: ClientSettings): Client {
  return new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      GatewayIntentBits.MessageContent,
    ],
    partials: [Partials.Channel, Partials.Message],
    rest: restOptions(settings),
    // The parts read the events themselves: nothing but channels and roles is looked up.
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      ...{ MessageManager: 0, PresenceManager: 0, ReactionManager: 0, ReactionUserManager: 0 },
      ...{ GuildEmojiManager: 0, GuildStickerManager: 0, GuildBanManager: 0, GuildInviteManager: 0 },
      ...{ VoiceStateManager: 0, StageInstanceManager: 0, ThreadMemberManager: 0, DMMessageManager: 0 },
      ...{ GuildMessageManager: 0, GuildScheduledEventManager: 0, AutoModerationRuleManager: 0 },
      GuildMemberManager: { maxSize: 0, keepOverLimit: ({ id, client }) => id === client.user?.id },
      UserManager: { maxSize: 0, keepOverLimit: ({ id, client }) => id === client.user?.id },
    }),
    ...settings.options,
  });
}

function restOptions({ apiUrl, options }: ClientSettings) {
  return { version: '10', ...(apiUrl === undefined ? {} : { api: apiUrl }), ...options?.rest };
}
