import type { Language } from './languages.js';

export type TokenKind = 'plain' | 'keyword' | 'string' | 'comment' | 'number';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/** What a line leaves open for the next one: a comment or a string, with what ends it. */
export interface OpenToken {
  readonly kind: 'comment' | 'string';
  readonly close: string;
}

/**
 * Takes a line apart for colours: comments, strings, numbers and keywords, no grammar. The tokens joined are the line. A line
 * that is too long to be read by a person is one plain token.
 */
export function tokenize(
  line: string,
  language: Language,
  open?: OpenToken,
): { readonly tokens: readonly Token[]; readonly open?: OpenToken } {
  if (line.length > longestLine) return { tokens: [{ kind: 'plain', text: line }] };
  const tokens: Token[] = [];
  const push = (kind: TokenKind, text: string) => {
    const last = tokens.at(-1);
    if (last?.kind === kind) tokens[tokens.length - 1] = { kind, text: last.text + text };
    else if (text !== '') tokens.push({ kind, text });
  };
  let at = 0;
  let opened = open;
  while (at < line.length || opened !== undefined) {
    if (opened !== undefined) {
      const end = endOf(line, at, opened);
      push(opened.kind, line.slice(at, end ?? line.length));
      if (end === undefined) return { tokens, open: opened };
      at = end;
      opened = undefined;
      continue;
    }
    const begun = beginningAt(line, at, language);
    if (begun === 'line comment') {
      push('comment', line.slice(at));
      return { tokens };
    }
    if (begun !== undefined) {
      push(begun.kind, begun.mark);
      at += begun.mark.length;
      if (begun.multiline) opened = { kind: begun.kind, close: begun.close };
      else {
        const end = endOf(line, at, begun) ?? line.length;
        push(begun.kind, line.slice(at, end));
        at = end;
      }
      continue;
    }
    word.lastIndex = at;
    const text = word.exec(line)?.[0] ?? line.charAt(at);
    push(/^\d/.test(text) ? 'number' : language.keywords.has(text) ? 'keyword' : 'plain', text);
    at += text.length;
  }
  return { tokens };
}

const longestLine = 2_000;

/** A number with its letters (`0xff`, `1.5e3`, `10ms`), or a word; everything else is taken character by character. */
const word = /\d[\w.]*|[\p{L}_$][\p{L}\p{N}_$]*/uy;

interface Beginning extends OpenToken {
  readonly mark: string;
  readonly multiline: boolean;
}

function beginningAt(line: string, at: number, language: Language): Beginning | 'line comment' | undefined {
  for (const [mark, close] of language.blockComments)
    if (line.startsWith(mark, at)) return { kind: 'comment', mark, close, multiline: true };
  for (const mark of language.lineComments) {
    // In a shell `$#` and `a#b` are no comments, and in YAML neither is `http://x/#y`.
    if (line.startsWith(mark, at) && (mark !== '#' || at === 0 || /\s/.test(line.charAt(at - 1))))
      return 'line comment';
  }
  for (const mark of language.longQuotes)
    if (line.startsWith(mark, at)) return { kind: 'string', mark, close: mark, multiline: true };
  const quote = line.charAt(at);
  // An apostrophe inside a word of a comment-like text (`don't`) begins no string.
  if (language.quotes.includes(quote) && !(quote === "'" && /[\p{L}\p{N}]/u.test(line.charAt(at - 1))))
    return { kind: 'string', mark: quote, close: quote, multiline: false };
  return undefined;
}

/** The place behind the closing mark, past escaped characters in a string. */
function endOf(line: string, from: number, open: OpenToken): number | undefined {
  for (let at = from; at < line.length; at++) {
    if (open.kind === 'string' && line[at] === '\\') at++;
    else if (line.startsWith(open.close, at)) return at + open.close.length;
  }
  return undefined;
}
