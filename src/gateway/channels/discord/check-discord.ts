import type { AllowedLists } from './access/may-speak.js';
import { nobodyMaySpeak } from './access/nobody-may-speak.js';
import { explainClosing } from './explain-closing.js';
import { type Ask, askGuilds } from './permissions/ask-guilds.js';
import { describeMissing } from './permissions/describe-missing.js';

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
}

const nobody: AllowedLists = { users: [], roles: [], guilds: [], channels: [] };

/** Asks Discord whether the bot could connect and answer. Returns what is wrong, with what to do; nothing without a token. */
export async function checkDiscord(
  { token, apiUrl = discordApi, allowed = nobody, paired = 0 }: DiscordCheck,
  fetchIt: typeof fetch = fetch,
): Promise<readonly string[]> {
  if (token === undefined) return [];
  const silence = nobodyMaySpeak(allowed, paired);
  const found = silence === undefined ? [] : [silence];
  // All of it takes moments, unless Discord is slow.
  const signal = AbortSignal.timeout(20_000);
  const ask: Ask = async <T>(path: string) => {
    const response = await fetchIt(`${apiUrl}/v10${path}`, {
      headers: { authorization: `Bot ${token}` },
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
    const seen = await askGuilds(ask, allowed);
    return [...found, ...describeMissing({ ...seen, applicationId: application.id }, allowed)];
  } catch (error) {
    if (error instanceof UnexpectedStatus && error.status === 401) return explained(4004);
    if (error instanceof UnexpectedStatus) return [...found, error.message];
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return [...found, `Discord can't be reached: ${cause instanceof Error ? cause.message : String(cause)}`];
  }
}

class UnexpectedStatus extends Error {
  constructor(readonly status: number) {
    super(`Discord answers with the status ${status}.`);
  }
}

function explained(code: number): readonly string[] {
  const problem = explainClosing(code);
  return problem === undefined ? [] : [`${problem.message} ${problem.hint}`];
}
