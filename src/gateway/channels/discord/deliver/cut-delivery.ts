import { createHash } from 'node:crypto';
import type { NewDiscordPiece } from '../../../../store/discord/pieces.js';
import type { Delivery } from '../../../../store/rows.js';
import { maxMessageLength, splitAnswer } from '../split-answer.js';
import { type AttachLines, takeAttachLines } from './attach-lines.js';

/** An answer whose file Discord does not take goes as so many messages at most. */
const maxPiecesInstead = 50;

/** What a message of the gateway becomes in Discord. The files are those of the last piece. */
export function cutDelivery(delivery: Delivery): readonly NewDiscordPiece[] {
  const { text, files } = textAndFiles(delivery);
  const { pieces, file } = splitAnswer(text);
  const texts = pieces.length === 0 && files.length > 0 ? [files.map(({ name }) => name).join(', ')] : pieces;
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
): readonly NewDiscordPiece[] {
  const lost = missing.some(({ path }) => path === undefined);
  const left = (piece.files ?? []).filter(({ name }) => !missing.some((one) => one.name === name));
  const notes = missing
    .filter(({ path }) => path !== undefined)
    .map(({ name, reason }) => `*The file ${name} is not attached: ${reason}.*`);
  const texts = lost ? instead(textAndFiles(delivery).text) : [piece.text];
  const note = notes.join('\n');
  const last = texts.at(-1) ?? '';
  if (note !== '' && last.length + 2 + note.length <= maxMessageLength)
    texts[texts.length - 1] = `${last}\n\n${note}`;
  else texts.push(...splitAnswer(note).pieces);
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

/** As much of a very long text as goes into messages. */
function instead(text: string): string[] {
  for (let length = maxPiecesInstead * maxMessageLength; ; length /= 2) {
    const beginning = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
    const { pieces, file } = splitAnswer(beginning, { maxPieces: maxPiecesInstead });
    if (file !== undefined) continue;
    const rest = text.length - beginning.length;
    if (rest === 0) return [...pieces];
    return [
      ...pieces,
      `*Discord does not take the answer as a file. The last ${rest.toLocaleString('en')} characters are only in the archive.*`,
    ];
  }
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
