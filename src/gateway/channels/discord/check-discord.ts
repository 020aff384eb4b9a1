import { describeSpeakers } from './access/describe-speakers.js';
import type { AllowedLists } from './access/may-speak.js';
import { nobodyMaySpeak } from './access/nobody-may-speak.js';
import { explainClosing, type FinalProblem } from './explain-closing.js';
import { type Ask, askGuilds } from './permissions/ask-guilds.js';
import { describeMissing } from './permissions/describe-missing.js';
import { readToken } from './token-form.js';

/** Discord's own address, as discord.js has it. */
const discordApi = 'https://discord.com/api';

/** Bots in more than 100 servers have the first once Discord has allowed it; all others have the second. */
const messageContent = (1 << 18) | (1 << 19);

export interface DiscordCheck {
  /** Without a token there is nothing to check. */
  readonly token?: string | undefined;
  readonly apiUrl?: string | undefined;
  readonly allowed?: AllowedLists | undefined;
  /** How many people are paired. */
  readonly paired?: number | undefined;
  readonly pairing?: boolean | undefined;
  /** Turnout's own. */
  readonly version?: string | undefined;
}

export interface DiscordReport {
  readonly bot?: { readonly id: string; readonly name: string } | undefined;
  /** How many the bot is in. */
  readonly servers?: number | undefined;
  /** One line: how it stands with Discord. */
  readonly summary: string;
  /** What is wrong, with what to do. */
  readonly problems: readonly string[];
}

const nobody: AllowedLists = { users: [], roles: [], guilds: [], channels: [] };

/** Asks Discord whether the bot could connect and answer. */
export async function checkDiscord(
  {
    token: given,
    apiUrl = discordApi,
    allowed = nobody,
    paired = 0,
    pairing = true,
    version = '0',
  }: DiscordCheck,
  fetchIt: typeof fetch = fetch,
): Promise<DiscordReport> {
  if (given === undefined)
    return { summary: 'not set up: set DISCORD_BOT_TOKEN (docs/discord.md says how)', problems: [] };
  const read = readToken(given);
  if ('problem' in read) return troubled(inWords(read.problem));
  const { token } = read;
  const silence = nobodyMaySpeak(allowed, paired, pairing);
  const found = silence === undefined ? [] : [silence];
  // All of it takes moments, unless Discord is slow.
  const signal = AbortSignal.timeout(20_000);
  const ask: Ask = async <T>(path: string) => {
    const response = await fetchIt(`${apiUrl}/v10${path}`, {
      // Discord may refuse requests of bots that don't say who they are in this form.
      headers: { authorization: `Bot ${token}`, 'user-agent': `DiscordBot (turnout, ${version})` },
      signal,
    });
    if (response.ok) return (await response.json()) as T;
    await response.body?.cancel();
    if (response.status === 403 || response.status === 404) return undefined;
    throw new UnexpectedStatus(response.status);
  };
  try {
    const application = await ask<{ readonly id: string; readonly flags?: number }>('/applications/@me');
    if (application === undefined) throw new UnexpectedStatus(404);
    if (((application.flags ?? 0) & messageContent) === 0) found.push(...explained(4014));
    const { bot, ...seen } = await askGuilds(ask, allowed);
    const problems = [...found, ...describeMissing({ ...seen, applicationId: application.id }, allowed)];
    const servers = seen.guilds.length;
    const who = bot === undefined ? 'the bot' : `the bot ${JSON.stringify(bot.name)} (${bot.id})`;
    const where = servers === 1 ? 'one server' : `${servers} servers`;
    const state = problems.length === 0 ? 'ok' : 'see the warnings below';
    const speakers = describeSpeakers(allowed, paired);
    return { bot, servers, summary: `${state}: ${who} is in ${where}; ${speakers}`, problems };
  } catch (error) {
    if (error instanceof UnexpectedStatus && error.status === 401) return troubled(...explained(4004));
    if (error instanceof UnexpectedStatus) return troubled(...found, error.message);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return troubled(
      ...found,
      `Discord can't be reached: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

class UnexpectedStatus extends Error {
  constructor(readonly status: number) {
    super(`Discord answers with the status ${status}.`);
  }
}

function troubled(...problems: readonly string[]): DiscordReport {
  return { summary: 'not usable: see the warnings below', problems };
}

function explained(code: number): readonly string[] {
  const problem = explainClosing(code);
  return problem === undefined ? [] : [inWords(problem)];
}

function inWords({ message, hint }: FinalProblem): string {
  return `${message} ${hint}`;
}
