import { visible } from './odd-characters.js';

/**
 * Quotes the text of others in Markdown. A quoted text can hold headings, fences and lists of its own, but nothing in it
 * ends the quote: every line has the mark, and HTML, which ignores marks, is escaped.
 */
export function quote(text: string): string {
  return linesOf(text)
    .map((line) => (line === '' ? '>' : `> ${line.replaceAll(htmlBegins, '&lt;')}`))
    .join('\n');
}

/** The lines of a text, without anything that could steer a terminal. */
export function linesOf(text: string): readonly string[] {
  return text.split(lineBreaks).map(visible);
}

/** Renders a name, an id or a piece of JSON as code within a line of ours. */
export function code(text: string, most = 120): string {
  const line = oneLine(text, most);
  if (line === '') return '`?`';
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const room = /^[ `]|[ `]$/.test(line) ? ' ' : '';
  return fence + room + line + room + fence;
}

/** The text on one line, at most `most` characters of it. */
export function oneLine(text: string, most = 120): string {
  // A long text is cut before it is worked on; more is kept, because a long row of blanks must not hide what is behind it.
  const begin = text.trimStart().slice(0, most * 20);
  const line = visible(begin.replaceAll(whiteSpace, ' ')).trim();
  const characters = Array.from(line.slice(0, most * 2));
  const whole = begin.length < most * 20 && line.length <= most * 2 && characters.length <= most;
  return whole ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** Line breaks include those that only some readers take for the end of a line. */
const lineBreaks = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const whiteSpace = /[\p{Zs}\t\n\v\f\r\u0085\u2028\u2029]+/gu;
const htmlBegins = /<(?=[A-Za-z/!?])/g;
