import type { Line, Span, Style, StyleName } from '../text/styled-line.js';

export interface InlineOptions {
  /** True while the line is still being written: what is begun and not closed yet is taken as it may become. */
  readonly open?: boolean;
}

/** The Markdown within a line: code, bold, italics, struck-out words, links. The text is harmless already. */
export function inlineSpans(text: string, style: Style, options: InlineOptions = {}): Line {
  return new Inline(text, options.open === true).spans(0, text.length, style, 0);
}

/** The longest first. */
const marks: readonly (readonly [mark: string, style: StyleName])[] = [
  ['**', 'bold'],
  ['__', 'bold'],
  ['~~', 'strike'],
  ['*', 'italic'],
  ['_', 'italic'],
];
const mostDepth = 6;

class Inline {
  readonly #text: string;
  readonly #open: boolean;
  /** Closing marks that are not there behind a place: each is looked for once, so that a long line takes no longer. */
  readonly #missing = new Map<string, number>();

  constructor(text: string, open: boolean) {
    this.#text = text;
    this.#open = open;
  }

  spans(from: number, end: number, style: Style, depth: number): Line {
    const found: Span[] = [];
    let plain = '';
    const flush = () => {
      if (plain !== '') found.push({ text: plain, style });
      plain = '';
    };
    let at = from;
    while (at < end) {
      const piece = this.#pieceAt(at, end, style, depth);
      if (piece === undefined) {
        plain += this.#text[at];
        at += 1;
        continue;
      }
      if (typeof piece.spans === 'string') plain += piece.spans;
      else {
        flush();
        found.push(...piece.spans);
      }
      at = piece.end;
    }
    flush();
    return found;
  }

  #pieceAt(
    at: number,
    end: number,
    style: Style,
    depth: number,
  ): { readonly spans: Line | string; readonly end: number } | undefined {
    const character = this.#text[at] ?? '';
    if (character === '\\' && /[!-/:-@[-`{-~]/.test(this.#text[at + 1] ?? '') && at + 1 < end)
      return { spans: this.#text[at + 1] ?? '', end: at + 2 };
    if (character === '`') return this.#code(at, end, style);
    if (character === '[') return this.#link(at, end, style, depth);
    if (depth >= mostDepth || !'*_~'.includes(character)) return undefined;
    for (const [mark, name] of marks) {
      if (!this.#text.startsWith(mark, at) || !this.#opens(mark, at, end)) continue;
      const begin = at + mark.length;
      const close = this.#closing(mark, begin, end);
      if (close === undefined && !this.#open) continue;
      const inner = this.spans(begin, close ?? end, [...style, name], depth + 1);
      return { spans: inner, end: close === undefined ? end : close + mark.length };
    }
    return undefined;
  }

  #code(at: number, end: number, style: Style): { readonly spans: Line | string; readonly end: number } {
    let ticks = 1;
    while (this.#text[at + ticks] === '`' && at + ticks < end) ticks += 1;
    const mark = '`'.repeat(ticks);
    const begin = at + ticks;
    const close = this.#find(mark, begin, end, (found) => {
      return this.#text[found - 1] !== '`' && this.#text[found + ticks] !== '`';
    });
    if (close === undefined && !(this.#open && begin < end)) return { spans: mark, end: begin };
    const code = this.#text.slice(begin, close ?? end);
    const shown = /^ .*[^ ].* $/.test(code) ? code.slice(1, -1) : code;
    return {
      spans: [{ text: shown, style: [...style, 'cyan'] }],
      end: close === undefined ? end : close + ticks,
    };
  }

  #link(at: number, end: number, style: Style, depth: number) {
    // Short ones only: a bracket is more often just a bracket.
    const match = /^\[([^[\]]{1,300})\]\(<?([^\s()<>]{1,2000})>?(?: "[^"]{0,200}")?\)/.exec(
      this.#text.slice(at, Math.min(end, at + 2600)),
    );
    if (match === null || depth >= mostDepth) return undefined;
    const [whole, label = '', address = ''] = match;
    const shown = new Inline(label, false).spans(0, label.length, [...style, 'underline'], depth + 1);
    const where: Line = label === address ? [] : [{ text: ` (${address})`, style: [...style, 'dim'] }];
    return { spans: [...shown, ...where], end: at + whole.length };
  }

  #opens(mark: string, at: number, end: number): boolean {
    const next = this.#text[at + mark.length];
    if (next === undefined || at + mark.length >= end || /\s/.test(next) || next === mark[0]) return false;
    return !mark.startsWith('_') || !isWord(this.#text[at - 1]);
  }

  #closing(mark: string, from: number, end: number): number | undefined {
    return this.#find(mark, from + 1, end, (found) => {
      if (/\s/.test(this.#text[found - 1] ?? ' ')) return false;
      if (mark.length === 1 && (this.#text[found + 1] === mark || this.#text[found - 1] === mark))
        return false;
      return !mark.startsWith('_') || !isWord(this.#text[found + mark.length]);
    });
  }

  #find(mark: string, from: number, end: number, fits: (found: number) => boolean): number | undefined {
    const missing = this.#missing.get(`${mark} ${end}`);
    if (missing !== undefined && from >= missing) return undefined;
    for (let at = this.#text.indexOf(mark, from); at >= 0 && at + mark.length <= end; ) {
      if (fits(at)) return at;
      at = this.#text.indexOf(mark, at + 1);
    }
    this.#missing.set(`${mark} ${end}`, from);
    return undefined;
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
