import { visible } from '../../../core/text.js';

/** A piece of a line, and how it looks. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

export type Line = readonly Span[];
export type Style = readonly StyleName[];
export type StyleName = keyof typeof codes;

const codes = {
  bold: 1,
  dim: 2,
  italic: 3,
  underline: 4,
  strike: 9,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
} as const;

export const emptyLine: Line = [];

export function span(text: string, ...style: readonly StyleName[]): Span {
  return { text, style };
}

export function plainLine(text: string, ...style: readonly StyleName[]): Line {
  return text === '' ? emptyLine : [{ text, style }];
}

export function textOf(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** The line as it is written to a terminal, whatever has come into it. */
export function renderLine(line: Line, colours: boolean): string {
  if (!colours) return visible(textOf(line));
  return line.map(renderSpan).join('');
}

function renderSpan({ text, style }: Span): string {
  const shown = visible(text);
  if (style.length === 0 || text === '') return shown;
  return `\u001b[${style.map((name) => codes[name]).join(';')}m${shown}\u001b[0m`;
}
