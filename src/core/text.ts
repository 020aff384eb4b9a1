import { foldBlanks } from './fold-blanks.js';

// Text that others wrote, made safe to show. Every face uses these levels and no others:
//
// - `prose`, `terminalProse`, `proseLine`: to be read, such as an answer. Drops what steers a terminal and what only tells a program how to set
//   the text; shows the rest of what can't be seen by name.
// - `visible`, `visibleLines`, `wholeLine`, `oneLine`, `quoted`, `shownId`, `quote`, `code`: a name, an id, an error, a diff. Drops nothing: what can't
//   be seen is shown by name.
// - `exact`, `exactLine`, `exactStart`: what somebody is asked to allow. As `visible`, and no character may look like another or like none.
//
// The first two keep invisible characters where they change what is seen: in emoji, and between letters of Arabic and Indic.

/** A character that can't be seen, or that turns the order of others around, by a name that can. */
export interface NamedCharacter {
  readonly shown: string;
  readonly name: string;
}

export type NamingLevel = 'visible' | 'exact';

/** Takes the characters out of a text that can't be seen. The carriage return of a Windows line end is one of them. */
export function nameCharacters(
  text: string,
  level: NamingLevel = 'visible',
): readonly (string | NamedCharacter)[] {
  if (isPlain(text)) return text === '' ? [] : [text];
  const parts: (string | NamedCharacter)[] = [];
  let from = 0;
  for (const { groups, index } of text.matchAll(level === 'exact' ? exactRuns() : visibleRuns())) {
    const run = groups?.['run'];
    if (run === undefined) continue;
    if (index > from) parts.push(text.slice(from, index));
    parts.push(describe(run));
    from = index + run.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** The whole text with such characters by name: none of them reaches a terminal, and none of them vanishes. */
export function visible(text: string): string {
  return isPlain(text) ? text : joined(nameCharacters(text));
}

/** The same, line by line: what only some readers take for the end of a line is one here, too. */
export function visibleLines(text: string): readonly string[] {
  return text.split(lineBreaks).map(visible);
}

/** The whole text on one line. */
export function wholeLine(text: string): string {
  return visible(text.replaceAll(whiteSpace, ' ')).trim();
}

/** The text on one line, at most `most` characters of it. */
export function oneLine(text: string, most = 120): string {
  // A long text is cut before it is worked on; more is kept, because a long row of blanks must not hide what is behind it.
  const begin = text.trimStart().slice(0, most * 20);
  const line = wholeLine(begin);
  const characters = Array.from(line.slice(0, most * 2));
  const whole = begin.length < most * 20 && line.length <= most * 2 && characters.length <= most;
  return whole ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** A name or an id between quotes, where a sentence would go on in it otherwise. */
export function quoted(text: string, most = 120): string {
  return JSON.stringify(oneLine(text, most));
}

/** The id of a session, as a CLI has named it: one that is more than an id is quoted. */
export function shownId(id: string): string {
  return /^[\w.:@/+-]{1,128}$/.test(id) ? id : quoted(id, 128);
}

/** JSON that says the same to every program, and has nothing in it that can't be seen: that is escaped. */
export function visibleJson(json: string): string {
  if (isPlain(json)) return json;
  return json.replaceAll(visibleRuns(), (kept, run?: string) => (run === undefined ? kept : escaped(run)));
}

/**
 * Text for reading. Whole escape sequences go, so that no `[31m` is left of them, and so do lone control characters and marks
 * that only say where a line may break or which way a word runs. Line breaks stay.
 */
export function prose(text: string): string {
  if (isPlain(text)) return text;
  return visible(text.replaceAll(escapeSequences, '').replaceAll(blanks, ' ').replaceAll(idle, ''));
}

/** The same for a terminal, where a tab takes as many columns as it likes. */
export function terminalProse(text: string): string {
  return prose(text).replaceAll('\t', '    ');
}

/** The same in one line. Only as much of a long text is worked on as can be shown in a row. */
export function proseLine(text: string): string {
  return prose(text.slice(0, longestRow).replaceAll(whiteSpace, ' ')).replaceAll(/ +/g, ' ').trim();
}

/**
 * What somebody is asked to allow. Nothing of it is left out, and nothing can hide: every odd character is shown by name, and
 * long blank space in words.
 */
export function exact(text: string): string {
  return foldBlanks(text)
    .map((part) => (typeof part === 'string' ? joined(nameCharacters(part, 'exact')) : `… ${part.fold} …`))
    .join('')
    .replaceAll('\t', '    ');
}

/** The same in one line: a line break is shown by name, too. */
export function exactLine(text: string): string {
  return exact(text.replaceAll('\n', '␊'));
}

/** The beginning of it in one line, at most `most` characters, and whether something is left out. */
export function exactStart(text: string, most: number): { readonly line: string; readonly isCut: boolean } {
  // A long text is cut before it is worked on.
  const begin = text.slice(0, most * 20);
  const characters = Array.from(exactLine(begin).slice(0, most * 2 + 2));
  const isCut = begin.length < text.length || characters.length > most;
  return { line: isCut ? `${characters.slice(0, most - 1).join('')}…` : characters.join(''), isCut };
}

/**
 * Quotes the text of others in Markdown. A quoted text can hold headings, fences and lists of its own, but nothing in it
 * ends the quote: every line has the mark, and HTML, which ignores marks, is escaped.
 */
export function quote(text: string): string {
  return visibleLines(text)
    .map((line) => (line === '' ? '>' : `> ${line.replaceAll(htmlBegins, '&lt;')}`))
    .join('\n');
}

/** Renders a name, an id or a piece of JSON as code within a line of Markdown. */
export function code(text: string, most = 120): string {
  const line = oneLine(text, most);
  if (line === '') return '`?`';
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const room = /^[ `]|[ `]$/.test(line) ? ' ' : '';
  return fence + room + line + room + fence;
}

function isPlain(text: string): boolean {
  return /^[\n\t -~]*$/.test(text);
}

function joined(parts: readonly (string | NamedCharacter)[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return part.shown.length === 1 ? part.shown : `[${part.shown}]`;
    })
    .join('');
}

function escaped(run: string): string {
  return run.split('').map(escapedUnit).join('');
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function describe(run: string): NamedCharacter {
  const code = run.codePointAt(0) ?? 0;
  const count = run.length / String.fromCodePoint(code).length;
  const times = count === 1 ? '' : ` × ${count}`;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const sign = code < 0x20 ? String.fromCodePoint(0x2400 + code) : name;
  return { shown: sign + times, name: name + times };
}

/** Signs of Arabic, Syriac and Kaithi that Unicode counts among the marks of format, although they are drawn. */
const drawn = '\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}';
/** Controls, marks of format, halves of characters, all that Unicode lets a font leave out, and letters that are drawn blank. */
const odd = `(?![\\t\\n${drawn}])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800\\u{13441}\\u{13442}\\u{16fe4}\\u{1d159}]`;

const picture = '\\p{Extended_Pictographic}';
/** Arabic and the scripts of India, Burma, Cambodia and Mongolia, in which a joiner gives a letter another form. */
const joining = '\\u0600-\\u0dff\\u1000-\\u109f\\u1780-\\u18af';
/** Invisible characters in their usual places, where they change what is seen. */
const usual = [
  // ❤️, 1️⃣, a family, and the flags of England, Scotland and Wales.
  `(?<=${picture})[\\ufe0e\\ufe0f]|(?<=[0-9#*])\\ufe0f(?=\\u20e3)`,
  `(?<=(?:${picture}|\\p{Emoji_Modifier})\\ufe0f?)\\u200d(?=${picture})`,
  '(?<=\\u{1f3f4})\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}',
  `(?<=[\\p{Lo}\\p{M}])(?<=[${joining}])[\\u200c\\u200d](?![\\u200c\\u200d])`,
].join('|');
/** What could pass for another character in a command: blanks of other widths, private characters, heaps of accents. */
const misleading = '[^\\P{Zs} ]|\\p{Co}|(?<=\\p{M}{3})\\p{M}';

// They are made when they are needed first: that takes a millisecond, which a short `run` does not have to spend. The same
// character again and again is one part: thousands of them are no thousand elements.
let visibleRun: RegExp | undefined;
let exactRun: RegExp | undefined;

function visibleRuns(): RegExp {
  visibleRun ??= new RegExp(`${usual}|(?<run>(?<one>${odd})\\k<one>*)`, 'gu');
  return visibleRun;
}

function exactRuns(): RegExp {
  exactRun ??= new RegExp(`(?<run>(?<one>${odd}|${misleading})\\k<one>*)`, 'gu');
  return exactRun;
}

/** Line breaks include those that only some readers take for the end of a line. */
const lineBreaks = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const whiteSpace = /[\p{Zs}\t\n\v\f\r\u0085\u2028\u2029]+/gu;
const htmlBegins = /<(?=[A-Za-z/!?])/g;
const longestRow = 20_000;

/**
 * Commands for the terminal, and texts for it (its title, a link) that have their end in the same line: one that has none
 * would take the rest of the line with it.
 */
const escapeSequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  /(?:\u001b\[|\u009b)[0-?]{0,32}[ -/]{0,4}[@-~]|\u001b[\]PX^_][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)/g;
/** Separators of lines, and the blank letter of braille. */
const blanks = /[\u2028\u2029\u2800]/g;
/** Control characters, halves of characters, and marks for the program that sets a text. */
const idle = /(?![\t\n])(?:[\p{Cc}\p{Cs}\u00ad\u061c\u200b\u200e\u200f\u2060\ufeff]|\u034f)/gu;
