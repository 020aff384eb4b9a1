import { DiscordAPIError, HTTPError, type REST, type RouteLike, Routes } from 'discord.js';
import { type DiscordApi, DiscordProblem } from '../discord-api.js';

/**
 * Discord's HTTP interface over discord.js, which waits out rate limits and tries again after 5xx, in the order of each route.
 * Requests that wait when the signal is aborted are given up.
 */
export function restApi(rest: REST, applicationId: () => Promise<string>, signal: AbortSignal): DiscordApi {
  // @discordjs/rest never takes its listener off a signal: one for all requests would hold all of them for ever.
  const open = new Set<AbortController>();
  signal.addEventListener('abort', () => {
    for (const request of open) request.abort();
  });
  const ask = async (method: Method, route: RouteLike, options: Options = {}): Promise<unknown> => {
    const request = new AbortController();
    if (signal.aborted) request.abort();
    open.add(request);
    try {
      return await rest[method](route, { signal: request.signal, ...options });
    } catch (error) {
      throw problemOf(error);
    } finally {
      open.delete(request);
    }
  };
  const askFor = async <T>(method: Method, route: RouteLike, options: Options = {}): Promise<T> =>
    (await ask(method, route, options)) as T;
  return {
    send: (channel, body, files = []) =>
      askFor('post', Routes.channelMessages(channel), {
        body,
        files: files.map(({ name, data }) => ({ name, data: Buffer.from(data) })),
      }),
    edit: (channel, message, body) => askFor('patch', Routes.channelMessage(channel, message), { body }),
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
    typing: async (channel) => {
      await ask('post', Routes.channelTyping(channel));
    },
    // The token of an interaction is what allows these: the bot's own would count for its limits.
    respond: async ({ id, token }, body) => {
      await ask('post', Routes.interactionCallback(id, token), { body, auth: false });
    },
    editResponse: async ({ token }, body) =>
      askFor('patch', Routes.webhookMessage(await applicationId(), token), { body, auth: false }),
    setCommands: async (body) => {
      await ask('put', Routes.applicationCommands(await applicationId()), { body });
    },
  };
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Options = NonNullable<Parameters<REST['get']>[1]> & Parameters<REST['post']>[1];

function problemOf(error: unknown): DiscordProblem {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof DiscordAPIError)
    return new DiscordProblem(`Discord refused it: ${message}`, error.status, Number(error.code));
  if (error instanceof HTTPError)
    return new DiscordProblem(`Discord answered with the status ${error.status}`, error.status, undefined);
  return new DiscordProblem(`Discord did not answer: ${message}`, undefined, undefined);
}
