import { createHash } from 'node:crypto';
import { count } from '../../../../core/format.js';
import type { NewDiscordPiece } from '../../../../store/discord/pieces.js';
import type { Delivery } from '../../../../store/rows.js';
import { inlineCode } from '../markdown/code.js';
import { beginningOf, maxMessageLength, splitAnswer } from '../split-answer.js';
import { type AttachLines, takeAttachLines } from './attach-lines.js';

/** An answer whose file Discord does not take goes as so many messages at most. */
const maxPiecesInstead = 50;
/** Where the bot may send no files at all, every long answer would be so many: a reader is served better by fewer. */
export const maxPiecesWithoutPermission = 10;
/** Of a path in a note. */
const longestPath = 120;

/** What a message of the gateway becomes in Discord. The files are those of the last piece. */
export function cutDelivery(delivery: Delivery): readonly NewDiscordPiece[] {
  const { text, files } = textAndFiles(delivery);
  const { pieces, file } = splitAnswer(text);
  const texts = pieces.length === 0 && files.length > 0 ? [namesOf(files)] : pieces;
  const all = file === undefined ? files : [{ name: file.name }, ...files];
  const nonceOf = noncesOf(delivery);
  return texts.map((piece, index) => ({
    text: piece,
    nonce: nonceOf(index),
    ...(index === texts.length - 1 && all.length > 0 && { files: all }),
  }));
}

/** The pieces from one on whose files are not sent: its text goes all the same, and a sentence says what is missing. */
export function cutWithoutFiles(
  delivery: Delivery,
  piece: NewDiscordPiece & { readonly index: number },
  missing: readonly { readonly name: string; readonly path?: string | undefined; readonly reason: string }[],
  maxPieces = maxPiecesInstead,
): readonly NewDiscordPiece[] {
  const lost = missing.find(({ path }) => path === undefined);
  const left = (piece.files ?? []).filter(({ name }) => !missing.some((one) => one.name === name));
  const notes = missing
    .filter(({ path }) => path !== undefined)
    .map(({ name, path, reason }) => {
      // As the agent has written it: the name is one for Discord's files.
      const shown = inlineCode(path ?? name, longestPath) || name;
      return `*The file ${shown} is not attached: ${reason}.*`;
    });
  const { text: words } = textAndFiles(delivery);
  // Without words there are only the names of the files.
  const own = words.trim() === '' ? namesOf(left) : piece.text;
  const whole = lost === undefined ? [own].filter(Boolean) : instead(words, lost.reason, maxPieces);
  const texts = withNote(whole, notes.join('\n'));
  const nonceOf = noncesOf(delivery);
  return texts.map((text, index) => ({
    text,
    nonce: nonceOf(piece.index + index),
    ...(index === texts.length - 1 && left.length > 0 && { files: left }),
  }));
}

export function textAndFiles({ message }: Delivery): AttachLines {
  // Only the agent attaches files: what the gateway says may quote anybody.
  return message.role === 'assistant' ? takeAttachLines(message.text) : { text: message.text, files: [] };
}

function namesOf(files: readonly { readonly name: string }[]): string {
  return files.map(({ name }) => name).join(', ');
}

/** As much of a very long text as goes into a few messages, and where the rest is. */
function instead(text: string, reason: string, maxPieces: number): string[] {
  const { pieces, left } = beginningOf(text, maxPieces);
  if (left === 0) return [...pieces];
  const note =
    `*That’s not all: ${count(left)} more characters are in the gateway’s archive and on its page. ` +
    `They can’t come as a file: ${reason}.*`;
  return withNote(pieces, note);
}

/** The note goes behind the last piece, or comes as a message of its own. */
function withNote(pieces: readonly string[], note: string): string[] {
  const last = pieces.at(-1);
  if (note === '') return [...pieces];
  if (last !== undefined && last.length + 2 + note.length <= maxMessageLength)
    return [...pieces.slice(0, -1), `${last}\n\n${note}`];
  return [...pieces, ...splitAnswer(note).pieces];
}

/**
 * The same piece has the same nonce after a crash, and no other piece of this bot has it: ids begin anew with a new store, and
 * Discord would take the answer for an old one. 25 characters is Discord's limit.
 */
function noncesOf({ id, message }: Delivery): (index: number) => string {
  const { channel, createdAt, text } = message;
  // An answer may have many megabytes: it is hashed once, not for each piece.
  const answer = hash(JSON.stringify([channel, id, createdAt]), text);
  return (index) => hash(answer, String(index)).slice(0, 24);
}

function hash(...texts: readonly string[]): string {
  const sum = createHash('sha256');
  for (const text of texts) sum.update(text);
  return sum.digest('base64url');
}
