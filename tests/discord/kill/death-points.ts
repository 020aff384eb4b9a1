import type { Fault } from '../loopback/rest/faults.js';
import type { Step } from './mortal-bot.js';

const send = 'POST /channels/:channel/messages';

/** A moment at which the gateway is killed: right before a step of its own, or while a request is on its way. */
export interface DeathPoint {
  /** What has just been done, or is under way. */
  readonly when: string;
  readonly step?: Step;
  readonly request?: { readonly route: string; readonly fault: Fault; readonly skip?: number };
  /** Nobody has spoken to the bot in the channel before. */
  readonly isNewChannel?: boolean;
  /** The turn takes some seconds, and the steps are about the channel: several can be waited for at the same time. */
  readonly isSlow?: boolean;
  /** Unless both questions are answered once and in order. */
  readonly expected?: string;
}

const before = (name: string, nth = 1): { readonly step: Step } => ({ step: { name, nth } });
const during = (route: string, commit: boolean, skip = 0) => ({
  request: { route, fault: { type: 'hang', commit } as const, skip },
});

/** From the question's arrival to the answer in the outbox. */
export const untilAnswered: readonly DeathPoint[] = [
  { when: 'the question has arrived', ...before('store.countDiscordTurn') },
  {
    when: 'its author may speak, and the turn is counted; its file is being fetched',
    ...during('GET /attachments/:channel/:attachment/:name', false),
  },
  { when: 'its file is saved', ...before('store.accept') },
  { when: 'the question is on disk', ...before('store.claim') },
  { when: 'its turn is claimed', ...before('store.journal') },
  { when: 'the agent works', ...before('store.journal', 2) },
  { when: 'the agent has answered', ...before('store.finish') },
];

/** From the first to the last piece of the answer. */
export const untilSent: readonly DeathPoint[] = [
  { when: 'the answer is on disk', ...before('store.cutDiscordPieces') },
  { when: 'its pieces are on disk', ...before('store.discordPieceTried') },
  { when: 'the first try of piece 1 is noted', ...before('api.send') },
  { when: 'piece 1 is on its way', ...during(send, false) },
  { when: 'Discord has piece 1, and has not said so', ...during(send, true) },
  { when: 'Discord has said that it has piece 1', ...before('store.discordPieceSent') },
  { when: 'piece 1 is noted as sent', ...before('store.discordPieceTried', 2) },
  { when: 'the first try of piece 2 is noted', ...before('api.send', 2) },
  { when: 'piece 2 is on its way', ...during(send, false, 1) },
  { when: 'Discord has piece 2, and has not said so', ...during(send, true, 1) },
  { when: 'Discord has said that it has piece 2', ...before('store.discordPieceSent', 2) },
  { when: 'piece 2, the last one, is noted as sent', ...before('store.delivered') },
];

const isNewChannel = true;
export const notAnswered = 'not answered';

/** Where the bot has no place to catch up from before its first question. */
export const inNewChannel: readonly DeathPoint[] = [
  {
    when: 'a question has arrived in a channel in which the bot was never asked anything',
    isNewChannel,
    expected: notAnswered,
    ...before('store.saveDiscordPlace'),
  },
  { when: 'the channel is remembered', isNewChannel, ...before('store.countDiscordTurn') },
];

const isSlow = true;

/** Turns that are long enough for a message which shows their progress. */
export const withProgress: readonly DeathPoint[] = [
  { when: 'a progress message is about to be sent', isSlow, ...before('api.send') },
  { when: 'Discord has the progress message, and has not said so', isSlow, ...during(send, true) },
  { when: 'Discord has said so', isSlow, ...before('store.saveDiscordProgress', 2) },
  { when: 'the answer is sent, and the progress message still there', isSlow, ...before('api.remove') },
  { when: 'the progress message is removed', isSlow, ...before('store.forgetDiscordProgress') },
];
