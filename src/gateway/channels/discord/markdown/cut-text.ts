import { type Fence, type FenceMark, fenceMarks } from './fence-marks.js';
import { closingOf, findBreak } from './find-break.js';
import { endOfContent, skipWhiteSpace } from './white-space.js';

/** A piece of a text, from one place to another, and what is put around it because a fence was cut. */
export interface CutPiece {
  readonly opening: string;
  readonly from: number;
  readonly to: number;
  readonly closing: string;
}

/**
 * Cuts a text into pieces of at most `limit` UTF-16 units (500 at least), with the lines that close and reopen its fences. What is
 * between two pieces, before the first and behind the last, is white space outside of code: Discord would remove it anyway.
 * Takes time in proportion to the length, whatever the text is.
 */
export function* cutText(text: string, limit: number): Generator<CutPiece, undefined> {
  const track = new FenceTrack(text);
  const end = endOfContent(text);
  let from = skipWhiteSpace(text, 0);
  while (from < end) {
    const fence = track.moveTo(from);
    const marks = track.marksUpTo(from + limit);
    const opening = fence === undefined ? '' : openingAt(text, from, fence);
    const room = limit - opening.length;
    const last = marks.at(-1);
    const lastClosing = closingOf(text, end, last === undefined ? fence : last.fence);
    if (end - from + lastClosing.length <= room) {
      yield { opening, from, to: end, closing: lastClosing };
      return;
    }
    const found = findBreak({ text, from, end, room, fence, marks });
    yield { opening, from, to: found.at, closing: closingOf(text, found.at, found.fence) };
    from = found.fence === undefined ? skipWhiteSpace(text, found.at) : found.at;
  }
}

export function textOf(text: string, piece: CutPiece): string {
  return piece.opening + text.slice(piece.from, piece.to) + piece.closing;
}

/** In the middle of a line, the line's prefix has to be repeated as well. */
function openingAt(text: string, at: number, fence: Fence): string {
  return `${fence.opening}\n${text[at - 1] === '\n' ? '' : fence.linePrefix}`;
}

/** The marks around a place that moves forward through the text. */
class FenceTrack {
  readonly #marks: Iterator<FenceMark, undefined>;
  #next: FenceMark | undefined;
  /** Marks ahead of the place. */
  #ahead: FenceMark[] = [];
  #fence: Fence | undefined;

  constructor(text: string) {
    this.#marks = fenceMarks(text);
    this.#next = this.#marks.next().value;
  }

  /** Returns the fence that is open there. */
  moveTo(place: number): Fence | undefined {
    this.marksUpTo(place);
    const passed = this.#ahead.filter(({ to }) => to <= place);
    const last = passed.at(-1);
    if (last !== undefined) this.#fence = last.fence;
    this.#ahead = this.#ahead.slice(passed.length);
    return this.#fence;
  }

  marksUpTo(place: number): readonly FenceMark[] {
    while (this.#next !== undefined && this.#next.from <= place) {
      this.#ahead.push(this.#next);
      this.#next = this.#marks.next().value;
    }
    return this.#ahead;
  }
}
