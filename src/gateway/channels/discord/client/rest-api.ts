import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiscordAPIError, HTTPError, type REST, type RouteLike, Routes } from 'discord.js';
import { abortable } from '../../../../core/wait.js';
import { type DiscordApi, DiscordProblem } from '../discord-api.js';

/**
 * A message that has waited so long, for its turn or for a rate limit, is not sent any more. Its caller may have asked whether it is
 * there already when the wait began, and Discord forgets nonces: it has to ask again.
 */
const sendWithinMs = 30_000;
/** Nine megabytes over a slow line. */
export const uploadWithinMs = 150_000;
/** Before a request is repeated that does no harm if it is done twice. */
const pausesMs = [250, 1000];

/**
 * Discord's HTTP interface over discord.js, which waits out rate limits in the order of each route. Requests that wait when the
 * signal is aborted are given up. The REST must not repeat requests by itself (`retries: 0`): it would do so with messages, too.
 */
export function restApi(
  rest: REST,
  applicationId: () => Promise<string>,
  signal: AbortSignal,
  options: RestApiOptions = {},
): DiscordApi {
  // As many as there are requests at a time.
  setMaxListeners(0, signal);
  const askOnce = async (method: Method, route: RouteLike, asked: Asked, withinMs?: number) => {
    // @discordjs/rest 2 never takes its listeners off a signal again: each request has one of its own.
    const request = new AbortController();
    const abort = () => request.abort();
    const signals = [signal, ...(asked.signal ? [asked.signal] : [])];
    for (const one of signals) {
      one.addEventListener('abort', abort);
      if (one.aborted) abort();
    }
    const timer = withinMs === undefined ? undefined : setTimeout(abort, withinMs);
    try {
      // While discord.js waits for a rate limit, it does not look at the signal.
      const over = (asked.files?.length ?? 0) > 0 ? (options.uploads ?? rest) : rest;
      return await abortable(over[method](route, { ...asked, signal: request.signal }), request.signal);
    } catch (error) {
      if (error instanceof DiscordAPIError && error.status === 401 && asked.auth !== false)
        options.onRefusedToken?.();
      throw problemOf(error);
    } finally {
      clearTimeout(timer);
      for (const one of signals) one.removeEventListener('abort', abort);
    }
  };
  const ask = async (method: Method, route: RouteLike, asked: Asked = {}): Promise<unknown> => {
    for (const pause of method === 'post' ? [] : (options.pausesMs ?? pausesMs)) {
      try {
        return await askOnce(method, route, asked);
      } catch (problem) {
        if (signal.aborted || asked.signal?.aborted || !mayPass(problem)) throw problem;
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
    return askOnce(method, route, asked);
  };
  const askFor = async <T>(method: Method, route: RouteLike, asked: Asked = {}): Promise<T> =>
    (await ask(method, route, asked)) as T;
  return {
    send: async (channel, body, files = [], given) =>
      (await askOnce(
        'post',
        Routes.channelMessages(channel),
        { body, signal: given, files: files.map(({ name, data }) => ({ name, data: Buffer.from(data) })) },
        options.sendWithinMs ?? (files.length > 0 ? uploadWithinMs : sendWithinMs),
      )) as never,
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
    followUp: async ({ token }, body) =>
      askFor('post', Routes.webhook(await applicationId(), token), { body, auth: false }),
    setCommands: async (body) => {
      await ask('put', Routes.applicationCommands(await applicationId()), { body });
    },
  };
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Taken = NonNullable<Parameters<REST['get']>[1]> & Parameters<REST['post']>[1];
type Asked = Omit<Taken, 'signal'> & { readonly signal?: AbortSignal | undefined };

export interface RestApiOptions {
  /** For requests with files, which take their time. */
  readonly uploads?: REST | undefined;
  /** Discord has refused the token of the bot: discord.js has forgotten it then. */
  readonly onRefusedToken?: () => void;
  /** For tests. */
  readonly sendWithinMs?: number;
  readonly pausesMs?: readonly number[];
}

/** Discord, or the way to it, is in trouble. */
function mayPass(problem: unknown): boolean {
  return problem instanceof DiscordProblem && (problem.status === undefined || problem.status >= 500);
}

function problemOf(error: unknown): DiscordProblem {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof DiscordAPIError)
    return new DiscordProblem(`Discord refused it: ${message}`, error.status, Number(error.code));
  if (error instanceof HTTPError)
    return new DiscordProblem(`Discord answered with the status ${error.status}`, error.status, undefined);
  return new DiscordProblem(`Discord did not answer: ${message}`, undefined, undefined);
}
