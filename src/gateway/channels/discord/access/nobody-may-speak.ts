import type { AllowedLists } from './may-speak.js';

/** Undefined if somebody may speak to the bot. */
export function nobodyMaySpeak(allowed: AllowedLists, paired: number): string | undefined {
  if (paired > 0 || Object.values(allowed).some((list) => list.length > 0)) return undefined;
  return (
    'Nobody may speak to the bot in Discord yet. Put your id into DISCORD_ALLOWED_USERS, or write the bot a direct message and ' +
    'enter the code that it answers with: turnout pair approve <code>'
  );
}
