import { useState } from 'preact/hooks';
import type { NamingLevel } from '../src/core/text.js';
import { VisibleLines } from './visible-text.js';
import './long-text.css';

/** A line without an end is laid out as a whole: pieces keep that short, and those out of sight are not laid out at all. */
const pieceLength = 16 * 1024;

export interface LongTextProps {
  readonly text: string;
  /** The number of characters that are shown at first, and more with each click. */
  readonly atOnce?: number;
  readonly class?: string;
  /** `exact` for what a tool is to do. */
  readonly level?: NamingLevel | undefined;
}

/** Plain text of any length: the beginning, and a button for more. */
export function LongText({ text, atOnce = 64 * 1024, class: name = '', level }: LongTextProps) {
  const [limit, setLimit] = useState(atOnce);
  const shown = text.length <= limit * 1.1 ? text.length : limit;
  const left = text.length - shown;
  return (
    <div class={`long-text ${name}`}>
      {pieces(text, shown).map(([from, to]) => (
        <div key={from} class="long-text-piece">
          <VisibleLines text={text.slice(from, to)} level={level} />
        </div>
      ))}
      {left > 0 && (
        <p class="long-text-more" data-unread>
          <button type="button" class="small" onClick={() => setLimit(limit + 4 * atOnce)}>
            Show more
          </button>
          <span>{sizeInWords(left)} more</span>
        </p>
      )}
    </div>
  );
}

/** Pieces end at the end of a line where one is near, so that no line is broken in two. */
export function pieces(text: string, end: number): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (let from = 0; from < end; ) {
    let to = Math.min(end, from + pieceLength);
    if (to < end) {
      const line = text.lastIndexOf('\n', to - 1);
      if (line > from + pieceLength / 2) to = line + 1;
      // Half of a surrogate pair is no character.
      else if (isLowSurrogate(text, to)) to -= 1;
    }
    found.push([from, to]);
    from = to;
  }
  return found;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function sizeInWords(characters: number): string {
  if (characters < 1000) return `${characters} characters`;
  return characters < 1_000_000
    ? `${Math.round(characters / 1000)} kB`
    : `${(characters / 1_000_000).toFixed(1)} MB`;
}
