import { explainClosing } from './explain-closing.js';

/** Discord's own address, as discord.js has it. */
const discordApi = 'https://discord.com/api';

/** Bots in more than 100 servers have the first once Discord has allowed it; all others have the second. */
const messageContent = (1 << 18) | (1 << 19);

/** Asks Discord whether the bot could connect. Returns what is wrong, with what to do; nothing if it could, or without a token. */
export async function checkDiscord(
  {
    token,
    apiUrl = discordApi,
  }: { readonly token?: string | undefined; readonly apiUrl?: string | undefined },
  ask: typeof fetch = fetch,
): Promise<readonly string[]> {
  if (token === undefined) return [];
  try {
    const response = await ask(`${apiUrl}/v10/applications/@me`, {
      headers: { authorization: `Bot ${token}` },
      signal: AbortSignal.timeout(10_000),
    });
    if (response.status === 401) return explained(4004);
    if (!response.ok) return [`Discord answers with the status ${response.status}.`];
    const { flags = 0 } = (await response.json()) as { readonly flags?: number };
    return (flags & messageContent) === 0 ? explained(4014) : [];
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return [`Discord can't be reached: ${cause instanceof Error ? cause.message : String(cause)}`];
  }
}

function explained(code: number): readonly string[] {
  const problem = explainClosing(code);
  return problem === undefined ? [] : [`${problem.message} ${problem.hint}`];
}
