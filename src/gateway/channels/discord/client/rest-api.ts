import { setMaxListeners } from 'node:events';
import { DiscordAPIError, HTTPError, type REST, type RouteLike, Routes } from 'discord.js';
import { type DiscordApi, DiscordProblem } from '../discord-api.js';

/**
 * Discord's HTTP interface over discord.js, which waits out rate limits and tries again after 5xx, in the order of each route.
 * Requests that wait when the signal is aborted are given up.
 */
export function restApi(
  rest: REST,
  applicationId: () => Promise<string>,
  signal: AbortSignal,
  /** Discord has refused the token of the bot: discord.js has forgotten it then. */
  onRefusedToken: () => void = () => {},
): DiscordApi {
  // As many as there are requests at a time.
  setMaxListeners(0, signal);
  const ask = async (method: Method, route: RouteLike, options: Options = {}): Promise<unknown> => {
    // @discordjs/rest 2 never takes its listeners off a signal again: each request has one of its own.
    const request = new AbortController();
    const abort = () => request.abort();
    const signals = [signal, ...(options.signal ? [options.signal] : [])];
    for (const one of signals) {
      one.addEventListener('abort', abort);
      if (one.aborted) abort();
    }
    try {
      return await rest[method](route, { ...options, signal: request.signal });
    } catch (error) {
      if (error instanceof DiscordAPIError && error.status === 401 && options.auth !== false)
        onRefusedToken();
      throw problemOf(error);
    } finally {
      for (const one of signals) one.removeEventListener('abort', abort);
    }
  };
  const askFor = async <T>(method: Method, route: RouteLike, options: Options = {}): Promise<T> =>
    (await ask(method, route, options)) as T;
  return {
    send: (channel, body, files = [], given) =>
      askFor('post', Routes.channelMessages(channel), {
        body,
        signal: given,
        files: files.map(({ name, data }) => ({ name, data: Buffer.from(data) })),
      }),
    edit: (channel, message, body, given) =>
      askFor('patch', Routes.channelMessage(channel, message), { body, signal: given }),
    remove: async (channel, message) => {
      await ask('delete', Routes.channelMessage(channel, message));
    },
    messages: async (channel, { limit, after, before }) => {
      const query = new URLSearchParams({ limit: String(limit) });
      if (after !== undefined) query.set('after', after);
      if (before !== undefined) query.set('before', before);
      const page = await askFor<{ readonly id: string }[]>('get', Routes.channelMessages(channel), { query });
      // Discord gives the newest first, whatever it was asked for.
      return (after === undefined ? page : page.reverse()) as never;
    },
    channel: (channel) => askFor('get', Routes.channel(channel)),
    member: (guild, user) => askFor('get', Routes.guildMember(guild, user)),
    directChannel: (user) => askFor('post', Routes.userChannels(), { body: { recipient_id: user } }),
    typing: async (channel, given) => {
      await ask('post', Routes.channelTyping(channel), { signal: given });
    },
    // The token of an interaction is what allows these: the bot's own would count for its limits.
    respond: async ({ id, token }, body, given) => {
      await ask('post', Routes.interactionCallback(id, token), { body, auth: false, signal: given });
    },
    response: async ({ token }) =>
      askFor('get', Routes.webhookMessage(await applicationId(), token), { auth: false }),
    editResponse: async ({ token }, body) =>
      askFor('patch', Routes.webhookMessage(await applicationId(), token), { body, auth: false }),
    setCommands: async (body) => {
      await ask('put', Routes.applicationCommands(await applicationId()), { body });
    },
  };
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Asked = NonNullable<Parameters<REST['get']>[1]> & Parameters<REST['post']>[1];
type Options = Omit<Asked, 'signal'> & { readonly signal?: AbortSignal | undefined };

function problemOf(error: unknown): DiscordProblem {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof DiscordAPIError)
    return new DiscordProblem(`Discord refused it: ${message}`, error.status, Number(error.code));
  if (error instanceof HTTPError)
    return new DiscordProblem(`Discord answered with the status ${error.status}`, error.status, undefined);
  return new DiscordProblem(`Discord did not answer: ${message}`, undefined, undefined);
}
