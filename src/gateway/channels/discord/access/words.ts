import type { DiscordLimits, OverLimit } from '../../../../store/discord/people.js';

// What people are told in Discord. `<t:…:R>` is shown by Discord as "in 20 minutes", in the reader's own language and time zone.

export function pairingOffer(code: string, expiresAt: number): string {
  return [
    'Hello! I don’t know you yet. To talk with me, ask the person who runs me to enter this on the machine where I run:',
    `\`\`\`\nturnout pair approve ${code}\n\`\`\``,
    `The code expires ${discordTime(expiresAt)}. I’ll tell you here when it’s done.`,
  ].join('\n');
}

export const pairingFull =
  'Hello! I don’t know you yet, and too many people ask to be let in right now. Please try again in an hour.';

export const strangerRefusal =
  'Sorry, I’m not allowed to talk with you here. The person who runs me can change that.';

export function cantWrite(channelId: string, permission: string): string {
  return `I can’t write in <#${channelId}>: I lack the permission “${permission}” there, so I don’t take messages in that channel. Someone who manages the server can change that.`;
}

export const noLongerAllowed =
  'This message was not taken: I’m not allowed to talk with its author here any more.';

export function welcome(takenUp: boolean): string {
  const next = takenUp ? 'I’m answering what you wrote.' : 'Please write your message again.';
  return `You’re in: from now on I answer you. ${next}`;
}

export function limitReached({ limit, until }: OverLimit): string {
  return `${reached[limit]} I can go on ${discordTime(until)}. Messages until then are not kept: please send them again then.`;
}

const reached: Readonly<Record<keyof DiscordLimits, string>> = {
  userTurnsPerHour: 'You’ve reached the number of messages that one person may send me in an hour.',
  channelTurnsPerHour: 'This channel has reached its number of messages for an hour.',
  userSpendPerDay: 'You’ve reached the amount that one person’s messages may cost in a day.',
  channelSpendPerDay: 'This channel has reached the amount that its messages may cost in a day.',
};

/** Rounded up: at the time that is shown, it does go on. */
function discordTime(at: number): string {
  return `<t:${Math.ceil(at / 1000)}:R>`;
}
