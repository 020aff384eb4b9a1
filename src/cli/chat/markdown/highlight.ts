import type { Line, Span, StyleName } from '../text/styled-line.js';
import type { Language } from './languages.js';

/** What a line of code begins inside of: the mark that ends a comment or a text of the line before. */
export type CodeState = { readonly closes: string; readonly style: StyleName } | undefined;

/** Colours one line of code: comments, texts, numbers, keywords. Enough to read it by, not a parser. */
export function highlightLine(
  line: string,
  language: Language,
  state: CodeState,
): { readonly spans: Line; readonly state: CodeState } {
  const spans: Span[] = [];
  const put = (text: string, ...style: readonly StyleName[]) => {
    const last = spans.at(-1);
    if (last !== undefined && last.style.join() === style.join())
      spans[spans.length - 1] = { text: last.text + text, style };
    else if (text !== '') spans.push({ text, style });
  };
  let inside = state;
  let at = 0;
  while (at < line.length) {
    if (inside !== undefined) {
      const end = closingAt(line, at, inside.closes);
      put(line.slice(at, end ?? line.length), inside.style);
      at = end ?? line.length;
      if (end !== undefined || !goesOverLines(inside.closes, language)) inside = undefined;
      continue;
    }
    const comment = language.lineComments.find((mark) => line.startsWith(mark, at));
    if (comment !== undefined && beginsComment(line, at, comment)) {
      put(line.slice(at), 'dim');
      break;
    }
    const [open, close] = language.blockComment ?? [];
    if (open !== undefined && close !== undefined && line.startsWith(open, at)) {
      put(open, 'dim');
      at += open.length;
      inside = { closes: close, style: 'dim' };
      continue;
    }
    const quote = language.quotes.find((mark) => line.startsWith(mark, at));
    if (quote !== undefined) {
      put(quote, 'green');
      at += quote.length;
      inside = { closes: quote, style: 'green' };
      continue;
    }
    word.lastIndex = at;
    const [found = line[at] ?? ''] = word.exec(line) ?? [];
    if (/^\d/.test(found)) put(found, 'yellow');
    else if (language.keywords.has(found) || language.keywords.has(found.toLowerCase()))
      put(found, 'magenta');
    else put(found);
    at += found.length;
  }
  if (inside !== undefined && !goesOverLines(inside.closes, language)) inside = undefined;
  return { spans, state: inside };
}

const word = /[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*|\s+/uy;

/** The place behind the closing mark; a backslash takes the character behind it out. */
function closingAt(line: string, from: number, mark: string): number | undefined {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\' && mark !== '*/') at += 1;
    else if (line.startsWith(mark, at)) return at + mark.length;
  }
  return undefined;
}

function goesOverLines(mark: string, { blockComment }: Language): boolean {
  return mark.length === 3 || mark === '`' || mark === blockComment?.[1];
}

/** In shell scripts `#` is a comment only at the beginning of a word. */
function beginsComment(line: string, at: number, mark: string): boolean {
  return mark !== '#' || at === 0 || /\s/.test(line[at - 1] ?? '');
}
