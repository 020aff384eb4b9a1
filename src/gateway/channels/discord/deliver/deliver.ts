import type { RESTPostAPIChannelMessageJSONBody } from 'discord.js';
import type { WorkTreeFiles } from '../../../../process/work-tree-files.js';
import type { DiscordPiece } from '../../../../store/discord/pieces.js';
import type { Delivery } from '../../../../store/rows.js';
import type { Store } from '../../../../store/store.js';
import { type DiscordApi, DiscordProblem, type OutgoingFile } from '../discord-api.js';
import { cutDelivery, cutWithoutFiles, maxPiecesWithoutPermission, textAndFiles } from './cut-delivery.js';
import { finalFailure, refusesFiles, refusesReply } from './final-problems.js';
import { findSent } from './find-sent.js';
import { megabytes } from './megabytes.js';
import { type AttachPlace, maxAttachedBytes, NotAttached, readAttached } from './read-attached.js';

/**
 * Discord knows a nonce for "the past few minutes", and doesn't say how many. A piece that was tried longer ago than this is looked
 * up in the history first, and then has its nonce still.
 */
const nonceTrustedMs = 60_000;
/** Discord's code for a nonce whose message has been deleted since. */
const unknownMessage = 10008;
/** With files, and where the text alone is taken, it is the one for files. */
const missingPermissions = 50013;

export interface DeliverParts {
  readonly api: DiscordApi;
  readonly store: Pick<
    Store,
    | 'discordPieces'
    | 'cutDiscordPieces'
    | 'discordPieceTried'
    | 'discordPieceSent'
    | 'lastDiscordMessage'
    | 'event'
  >;
  /** Undefined until Discord has told it. */
  readonly botId: () => string | undefined;
  readonly attachPlace: (channel: string) => Promise<AttachPlace>;
  readonly workTrees: Pick<WorkTreeFiles, 'read'>;
  readonly now: () => number;
}

/**
 * Brings a message of the gateway to a channel of Discord, as one message or several. What it will send is on disk before it sends
 * anything, so that it goes on after a crash where it was. Rejects if it could not send all: it is called again then.
 */
export async function deliver(parts: DeliverParts, delivery: Delivery): Promise<void> {
  const { store } = parts;
  let pieces = await store.discordPieces(delivery.id);
  if (pieces.length === 0) {
    await store.cutDiscordPieces(delivery.id, 0, cutDelivery(delivery));
    pieces = await store.discordPieces(delivery.id);
  }
  const answered = await answeredMessage(parts, delivery);
  for (;;) {
    const piece = pieces.find(({ messageId }) => messageId === undefined);
    if (piece === undefined) return;
    await sendPiece(parts, delivery, piece, answered);
    // A piece whose files are refused is cut anew.
    pieces = await store.discordPieces(delivery.id);
  }
}

async function sendPiece(
  parts: DeliverParts,
  delivery: Delivery,
  piece: DiscordPiece,
  answered: string | undefined,
): Promise<void> {
  const { api, store } = parts;
  const channelId = channelIdOf(delivery);
  const sent = (messageId: string) =>
    store.discordPieceSent(delivery.id, piece.index, { channelId, messageId });
  const now = parts.now();
  if (piece.firstTriedAt === undefined) await store.discordPieceTried(delivery.id, piece.index, now);
  else if (Math.abs(now - piece.firstTriedAt) > nonceTrustedMs) {
    const found = await lookUp(parts, piece, channelId, answered);
    if (found !== undefined) return sent(found);
  }
  const { files, missing } = await readFiles(parts, delivery, piece);
  const cutAnew = (without: readonly Missing[], maxPieces?: number) =>
    store.cutDiscordPieces(delivery.id, piece.index, cutWithoutFiles(delivery, piece, without, maxPieces));
  if (missing.length > 0) return cutAnew(missing);
  let reply = piece.index === 0 ? answered : undefined;
  for (;;) {
    try {
      return await sent((await api.send(channelId, bodyOf(piece, reply), files)).id);
    } catch (problem) {
      if (!(problem instanceof DiscordProblem)) throw problem;
      if (problem.code === unknownMessage) return sent('0');
      if (files.length > 0 && refusesFiles(problem)) {
        const most = problem.code === missingPermissions ? maxPiecesWithoutPermission : undefined;
        return cutAnew(refused(piece, files, problem), most);
      }
      if (reply === undefined || !refusesReply(problem)) throw finalFailure(problem, channelId) ?? problem;
      reply = undefined;
    }
  }
}

function bodyOf(piece: DiscordPiece, reply: string | undefined): RESTPostAPIChannelMessageJSONBody {
  return {
    content: piece.text,
    nonce: piece.nonce,
    enforce_nonce: true,
    // An answer pings nobody, whatever it says.
    allowed_mentions: { parse: [], replied_user: false },
    ...(reply !== undefined && { message_reference: { message_id: reply, fail_if_not_exists: false } }),
  };
}

async function lookUp(
  { api, store, botId, now }: DeliverParts,
  piece: DiscordPiece,
  channelId: string,
  answered: string | undefined,
): Promise<string | undefined> {
  const bot = botId();
  if (bot === undefined) throw new DiscordProblem('the bot is not connected yet', undefined, undefined);
  const last = await store.lastDiscordMessage(channelId);
  const search = { channelId, botId: bot, after: [last, answered], now: now() };
  return findSent(api, piece, search).catch((problem: unknown) => {
    // A history that is closed to the bot does not tell. Whether it may write, Discord says when it does: nothing is lost.
    if (problem instanceof DiscordProblem && problem.status === 403) return undefined;
    throw problem;
  });
}

interface Missing {
  readonly name: string;
  readonly path?: string | undefined;
  readonly reason: string;
}

async function readFiles(
  parts: DeliverParts,
  delivery: Delivery,
  piece: DiscordPiece,
): Promise<{ readonly files: readonly OutgoingFile[]; readonly missing: readonly Missing[] }> {
  const files: OutgoingFile[] = [];
  const missing: Missing[] = [];
  let room = maxAttachedBytes;
  for (const file of piece.files ?? []) {
    try {
      const data =
        file.path === undefined
          ? wholeAnswer(delivery)
          : await readAttached(
              parts.workTrees,
              file.path,
              await parts.attachPlace(delivery.message.channel),
              room,
            );
      room -= data.byteLength;
      files.push({ name: file.name, data });
    } catch (error) {
      if (!(error instanceof NotAttached)) throw error;
      missing.push({ ...file, reason: error.message });
    }
  }
  return { files, missing };
}

function wholeAnswer(delivery: Delivery): Buffer {
  const text = textAndFiles(delivery).text.trim();
  const bytes = Buffer.byteLength(text);
  // What Discord would not take is not made ready and sent.
  if (bytes > maxAttachedBytes) throw new NotAttached(`it has ${megabytes(bytes)}, too large for Discord`);
  return Buffer.from(text);
}

function refused(
  piece: DiscordPiece,
  files: readonly OutgoingFile[],
  { status, code }: DiscordProblem,
): readonly Missing[] {
  const tooLarge = status === 413 || code === 40005;
  const bytes = files.reduce((sum, { data }) => sum + data.byteLength, 0);
  const all = files.length === 1 ? 'it has' : 'the files have';
  const reason = tooLarge
    ? `${all} ${megabytes(bytes)}, which is too large for Discord here`
    : code === missingPermissions
      ? 'the bot lacks the permission "Attach Files" here'
      : 'Discord does not take it here';
  return (piece.files ?? []).map((file) => ({ ...file, reason }));
}

/** The message of Discord that it answers. */
async function answeredMessage({ store }: DeliverParts, { message }: Delivery): Promise<string | undefined> {
  if (message.eventId === undefined) return undefined;
  const event = await store.event(message.eventId);
  const id = event?.source === 'discord' ? event.messageId : undefined;
  return id !== undefined && /^\d{17,20}$/.test(id) ? id : undefined;
}

function channelIdOf({ message }: Delivery): string {
  return message.channel.replace(/^discord:/, '');
}
