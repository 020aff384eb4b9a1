import { FinalFailure } from '../../final-failure.js';
import type { DiscordProblem } from '../discord-api.js';

/** Discord's codes for what no later try changes by itself, with what a person can do. */
const finalCodes: Readonly<Record<number, readonly [what: string, hint: string]>> = {
  10003: ['the channel is not there any more', 'Write to the bot in another channel.'],
  50001: [
    'the bot does not see the channel',
    'Give the bot the permission "View Channel" there, or invite it to the server again.',
  ],
  50013: [
    'the bot may not write there',
    'Give the bot the permissions "Send Messages" and, for threads, "Send Messages in Threads".',
  ],
  50007: [
    'the person takes no direct messages from the bot',
    'The person has to allow direct messages of the server’s members, or to unblock the bot.',
  ],
  50278: [
    'the bot and the person have no server in common any more',
    'Invite the bot to a server of the person, or answer on the page.',
  ],
  50083: ['the thread is archived', 'Open the thread again, and ask the bot once more.'],
  160005: ['the thread is locked', 'Unlock the thread, and ask the bot once more.'],
  200000: ['the server’s AutoMod has blocked the text', 'Except the bot’s role from the rule of AutoMod.'],
  240000: ['Discord takes a link in the text for harmful', 'The text is in the archive.'],
};

/** The failure that a refusal of Discord is for good, or undefined if a later try may succeed. */
export function finalFailure(problem: DiscordProblem, channelId: string): FinalFailure | undefined {
  const [what, hint] = finalCodes[problem.code ?? 0] ?? [];
  if (what !== undefined && hint !== undefined) {
    const message = `Discord channel ${channelId}: ${what} (${problem.code})`;
    return new FinalFailure(message, { hint, cause: problem });
  }
  // What Discord does not understand, it will not understand tomorrow; the channel's next answers must not wait for it.
  if (problem.status !== 400) return undefined;
  return new FinalFailure(`Discord channel ${channelId}: the message was refused: ${problem.message}`, {
    hint: 'The text is in the archive. This is a bug of Turnout: please report it.',
    cause: problem,
  });
}

/** A message with files that Discord refuses like this may be taken without them. */
export function refusesFiles({ status, code }: DiscordProblem): boolean {
  return status === 413 || status === 400 || code === 40005 || code === 50013;
}

/** A message that is a reply and is refused like this may be taken as an ordinary one. */
export function refusesReply({ status, code }: DiscordProblem): boolean {
  return status === 400 || code === 160002;
}
