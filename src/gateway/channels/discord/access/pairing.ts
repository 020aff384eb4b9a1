import { randomBytes } from 'node:crypto';
import { oneLine } from '../../../../core/text.js';
import type {
  DiscordPeopleStore,
  DiscordRefusal,
  KnownCode,
  NewPairingCode,
} from '../../../../store/discord/people.js';
import type { Speaker } from '../types.js';
import { hashPairingCode, makePairingCode } from './pairing-code.js';
import { pairingFull, pairingOffer } from './words.js';

export interface PairingParts {
  readonly store: DiscordPeopleStore;
  /** Codes follow from it: the bot's token. */
  readonly secret: string;
  readonly now: () => number;
}

/** More strangers have to wait until codes expire. */
const maxOpenCodes = 100;
/** A stranger who writes on and on is told the same code no more often than this. */
const maxTold = 3;
/** How often a full store may be told of in an hour, to all together. */
const maxFullAnswers = 20;

/** What a stranger's direct message is answered with: his code, or nothing if he has heard it often enough. */
export async function offerPairing(
  speaker: Speaker,
  message: { readonly channelId: string; readonly messageId: string },
  { store, secret, now }: PairingParts,
): Promise<string | undefined> {
  const at = now();
  const known = await store.discordCode(speaker.id, at);
  // Hashes are slow: whoever writes on and on, or comes with thousands of others, costs none.
  if (known !== undefined && known.told >= maxTold) return undefined;
  const place = { userId: speaker.id, channelId: message.channelId, at };
  if (known === undefined && (await store.discordStrangers(at)).length >= maxOpenCodes)
    return tellFull(place, store);
  const { code, salt, hash } =
    (await sameCode(secret, speaker.id, known)) ?? (await newCode(secret, speaker.id));
  const request: NewPairingCode = {
    ...{ ...place, name: oneLine(speaker.name, 80), messageId: message.messageId, salt, hash },
    maxOpen: maxOpenCodes,
  };
  const opened = await store.openDiscordCode(request);
  if (opened.type === 'full') return tellFull(place, store);
  return opened.told < maxTold ? pairingOffer(code, opened.expiresAt) : undefined;
}

async function tellFull(
  place: Pick<DiscordRefusal, 'userId' | 'channelId' | 'at'>,
  store: DiscordPeopleStore,
): Promise<string | undefined> {
  const refusal = { ...place, kind: 'full', everyMs: 3_600_000, most: maxFullAnswers };
  return (await store.noteDiscordRefusal(refusal)) ? pairingFull : undefined;
}

interface Code {
  readonly code: string;
  readonly salt: string;
  readonly hash: string;
}

/** With another token of the bot, the code that was told can't be told again. */
async function sameCode(
  secret: string,
  userId: string,
  known: KnownCode | undefined,
): Promise<Code | undefined> {
  if (known === undefined) return undefined;
  const code = makePairingCode(secret, userId, known.salt);
  return (await hashPairingCode(code)) === known.hash ? { code, ...known } : undefined;
}

async function newCode(secret: string, userId: string): Promise<Code> {
  const salt = randomBytes(16).toString('hex');
  const code = makePairingCode(secret, userId, salt);
  return { code, salt, hash: await hashPairingCode(code) };
}
