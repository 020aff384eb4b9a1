import { constants } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { GrowingBytes } from './growing-bytes.js';

/** One line without its LF. */
export interface Line {
  /** A slice of its batch's text (up to 64 KiB), which it keeps in memory: copy it to keep it for long. */
  readonly text: string;
  /** True if the line was longer than the limit and was cut. */
  readonly truncated?: true;
}

export const defaultMaxLineBytes = 128 * 1024 * 1024;

/**
 * Splits bytes at LF and at nothing else: JSON may hold U+2028 and a bare CR, at which `node:readline`
 * splits. A line is decoded when it is complete, so a character cut between two chunks comes out whole, and
 * bytes that are not UTF-8 become U+FFFD. The part held of an unfinished line never exceeds the limit.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #held: GrowingBytes;
  #midLine = false;
  #overflowed = false;

  constructor(maxLineBytes: number = defaultMaxLineBytes) {
    this.#maxLineBytes = Math.max(1, Math.min(maxLineBytes, constants.MAX_STRING_LENGTH));
    this.#held = new GrowingBytes(this.#maxLineBytes);
  }

  /** Returns the lines that this chunk completes. */
  push(chunk: Buffer): Line[] {
    // Most chunks consist of whole lines.
    if (!this.#midLine && chunk.length <= this.#maxLineBytes && chunk[chunk.length - 1] === lineFeed)
      return splitWhole(chunk.toString('utf8', 0, chunk.length - 1));
    const lines: Line[] = [];
    let from = 0;
    if (this.#midLine) {
      const end = chunk.indexOf(lineFeed);
      if (end === -1) {
        this.#hold(chunk);
        return lines;
      }
      this.#hold(chunk.subarray(0, end));
      lines.push(this.#takeHeld());
      from = end + 1;
    }
    const last = chunk.lastIndexOf(lineFeed);
    if (last >= from) {
      this.#split(chunk.subarray(from, last), lines);
      from = last + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
    return lines;
  }

  /** Returns the last line if it had no LF. */
  flush(): Line[] {
    return this.#midLine ? [this.#takeHeld()] : [];
  }

  #hold(bytes: Buffer): void {
    this.#midLine = true;
    if (this.#held.append(bytes) < bytes.length) this.#overflowed = true;
  }

  #takeHeld(): Line {
    const bytes = this.#held.view();
    const line = this.#overflowed ? cutLine(bytes) : { text: bytes.toString('utf8') };
    this.#held.clear();
    this.#midLine = false;
    this.#overflowed = false;
    return line;
  }

  /** Decodes the whole span at once, which takes half the time of one decoding for each line. */
  #split(span: Buffer, lines: Line[]): void {
    if (span.length <= this.#maxLineBytes) {
      for (const text of span.toString('utf8').split('\n')) lines.push({ text });
      return;
    }
    for (let from = 0; from <= span.length; ) {
      const feed = span.indexOf(lineFeed, from);
      const end = feed === -1 ? span.length : feed;
      this.#hold(span.subarray(from, end));
      lines.push(this.#takeHeld());
      from = end + 1;
    }
  }
}

function splitWhole(text: string): Line[] {
  if (!text.includes('\n')) return [{ text }];
  return text.split('\n').map((each) => ({ text: each }));
}

/** A StringDecoder leaves out a character that was cut in two. */
function cutLine(bytes: Buffer): Line {
  return { text: new StringDecoder('utf8').write(bytes), truncated: true };
}

const lineFeed = 0x0a;
