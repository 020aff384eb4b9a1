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
  // A long text is cut before it is worked on; a little more is kept, because white space goes.
  const line = visible(text.slice(0, most * 4).replaceAll(whiteSpace, ' ')).trim();
  const characters = Array.from(line.slice(0, most * 2));
  const whole = text.length <= most * 4 && line.length <= most * 2 && characters.length <= most;
  return whole ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** Control characters become their pictures: they must not steer a terminal, and not vanish either. */
export function visible(text: string): string {
  return text.replaceAll(controlCharacters, (character) => {
    const at = character.charCodeAt(0);
    if (at === 0x7f) return '\u2421';
    return at < 0x20 ? String.fromCharCode(0x2400 + at) : '\ufffd';
  });
}

/** Line breaks include those that only some readers take for the end of a line. */
const lineBreaks = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const whiteSpace = /[\s\u0085]+/g;
const htmlBegins = /<(?=[A-Za-z/!?])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const controlCharacters = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;
