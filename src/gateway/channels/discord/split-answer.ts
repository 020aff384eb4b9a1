import { count } from '../../../core/format.js';
import { cutText, textOf } from './markdown/cut-text.js';
import { toDiscordMarkdown } from './markdown/to-discord-markdown.js';

/** Discord counts code points, its clients count UTF-16 units: what is short enough for the clients is for both. */
export const maxMessageLength = 2000;

export interface AnswerParts {
  /** The messages, in order: each one is not empty, not too long, and as Discord stores it. None for an empty answer. */
  readonly pieces: readonly string[];
  /** The whole answer as a file of the first piece, which then is only the beginning. */
  readonly file?: { readonly name: string; readonly text: string };
}

export interface SplitOptions {
  /** An answer of more pieces goes as a file. */
  readonly maxPieces?: number;
}

/** Cuts an answer into messages for Discord. */
export function splitAnswer(text: string, { maxPieces = 10 }: SplitOptions = {}): AnswerParts {
  const content = text.trim();
  // Nothing of a very long answer but its beginning is looked at.
  if (content.length > maxPieces * maxMessageLength) return asFile(content);
  const pieces = cut(toDiscordMarkdown(content), maxMessageLength, maxPieces + 1);
  return pieces.length > maxPieces || pieces.some(isCutSpoiler) ? asFile(content) : { pieces };
}

/** A spoiler that is not closed in its message is shown to everybody. */
function isCutSpoiler(piece: string): boolean {
  const outsideOfCode = piece.replace(/```[\s\S]*?(?:```|$)|`[^`\n]+`/g, '');
  return (outsideOfCode.match(/\|\|/g)?.length ?? 0) % 2 === 1;
}

/** The first messages of a long answer, and how many of its characters are not in them, about: Markdown is rewritten. */
export function beginningOf(
  text: string,
  maxPieces: number,
): { readonly pieces: readonly string[]; readonly left: number } {
  const content = text.trim();
  const begin = toDiscordMarkdown(content.slice(0, 4 * maxPieces * maxMessageLength));
  const cuts = [...first(cutText(begin, maxMessageLength), maxPieces)];
  const shown = cuts.at(-1)?.to ?? 0;
  const isAll = content.length <= 4 * maxPieces * maxMessageLength && shown >= begin.trimEnd().length;
  return {
    pieces: cuts.map((cut) => textOf(begin, cut)),
    left: isAll ? 0 : Math.max(1, content.length - shown),
  };
}

function asFile(text: string): AnswerParts {
  const note = `\n\n*The answer is too long for a message (${count(text.length)} characters): all of it is in the file.*`;
  const begin = toDiscordMarkdown(text.slice(0, 2 * maxMessageLength));
  const [cutOff = ''] = cut(begin, maxMessageLength - note.length - 2, 1);
  const beginning = isCutSpoiler(cutOff) ? `${cutOff}||` : cutOff;
  return { pieces: [(beginning + note).trim()], file: { name: 'answer.md', text } };
}

function cut(text: string, limit: number, most: number): readonly string[] {
  return Array.from(first(cutText(text, limit), most), (piece) => textOf(text, piece));
}

function* first<T>(all: Iterable<T>, most: number): Generator<T> {
  let given = 0;
  for (const one of all) {
    if (given++ === most) return;
    yield one;
  }
}
