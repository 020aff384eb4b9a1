import type { AllowedLists } from './may-speak.js';

/** Undefined if somebody may speak to the bot. `pairing` is whether strangers get a code. */
export function nobodyMaySpeak(allowed: AllowedLists, paired: number, pairing: boolean): string | undefined {
  if (paired > 0 || Object.values(allowed).some((list) => list.length > 0)) return undefined;
  const begin = 'Nobody may speak to the bot in Discord yet. Put your id into DISCORD_ALLOWED_USERS';
  if (!pairing) return `${begin}: DISCORD_PAIRING is off.`;
  return `${begin}, or write the bot a direct message and enter the code that it answers with: turnout pair approve <code>`;
}
