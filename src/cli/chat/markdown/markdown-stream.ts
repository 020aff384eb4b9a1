import { terminalProse } from '../../../core/text.js';
import { emptyLine, type Line, plainLine, type Style, span } from '../text/styled-line.js';
import { cutLine, wrapLine } from '../text/wrap.js';
import { type CodeState, highlightLine } from './highlight.js';
import { inlineSpans } from './inline.js';
import { type Language, languageOf } from './languages.js';
import { isTableRow, tableLines } from './table.js';

/** Markdown that is being written: what can't change any more is taken out row by row, the rest waits here. */
export interface MarkdownStream {
  /** The line that has no end yet. */
  readonly rest: string;
  /** The rows of a table that may go on. */
  readonly table: readonly string[];
  readonly fence: Fence | undefined;
  /** True behind an empty line, and at the beginning: another one is not shown. */
  readonly blank: boolean;
}

interface Fence {
  readonly mark: string;
  readonly language: Language | undefined;
  readonly isDiff: boolean;
  readonly state: CodeState;
}

export const emptyMarkdown: MarkdownStream = { rest: '', table: [], fence: undefined, blank: true };

interface Written {
  readonly stream: MarkdownStream;
  readonly lines: readonly Line[];
}

/** A line that never ends is cut, and so is a table: what waits is bounded. */
const longestLine = 8000;
const longestTable = 200;

/**
 * Adds a piece of text. The rows depend on the text alone, not on how it was cut into pieces. A line of code and a long address
 * stay whole, wider than the window.
 */
export function writeMarkdown(stream: MarkdownStream, piece: string, width: number): Written {
  const lines: Line[] = [];
  let state: MarkdownStream = { ...stream, rest: '' };
  let rest = stream.rest + piece;
  for (;;) {
    const end = rest.indexOf('\n');
    const line = end < 0 ? rest : rest.slice(0, end);
    if (end < 0 && line.length <= longestLine) break;
    const taken = line.length > longestLine ? cutPlace(line) : line.length;
    const done = finishLine(state, line.slice(0, taken), width);
    state = done.stream;
    for (const line of done.lines) lines.push(line);
    rest = rest.slice(taken === line.length && end >= 0 ? end + 1 : taken);
  }
  return { stream: { ...state, rest }, lines };
}

/** The end of the text: whatever waits is shown. */
export function endMarkdown(stream: MarkdownStream, width: number): readonly Line[] {
  const { rest, ...state } = stream;
  const last = rest === '' ? undefined : finishLine({ ...state, rest: '' }, rest, width);
  const open = last?.stream ?? stream;
  return [...(last?.lines ?? []), ...flushTable(open, width)];
}

/** What waits, as it would be shown if it ended here; no row is wider than the window. */
export function pendingMarkdown(stream: MarkdownStream, width: number): readonly Line[] {
  const { rest, ...state } = stream;
  const line = terminalProse(rest);
  // The row of a table that is being written would be seen with its marks.
  const isRow = stream.table.length > 0 && line.trimStart().startsWith('|');
  const last = rest === '' || isRow ? [] : showLine({ ...state, rest: '' }, line, width, true).lines;
  return [...flushTable(stream, width), ...last].flatMap((row) => wrapLine(row, width, { atWords: false }));
}

function cutPlace(line: string): number {
  const blank = line.lastIndexOf(' ', longestLine);
  if (blank > longestLine / 2) return blank + 1;
  // Half of a surrogate pair is no character.
  return /[\ud800-\udbff]/.test(line[longestLine - 1] ?? '') ? longestLine - 1 : longestLine;
}

function finishLine(stream: MarkdownStream, raw: string, width: number): Written {
  const line = terminalProse(raw);
  if (stream.fence === undefined && isTableRow(line) && stream.table.length < longestTable)
    return { stream: { ...stream, table: [...stream.table, line], blank: false }, lines: [] };
  const table = flushTable(stream, width);
  const { stream: next, lines } = showLine({ ...stream, table: [] }, line, width, false);
  return { stream: next, lines: [...table, ...lines] };
}

function flushTable({ table }: MarkdownStream, width: number): readonly Line[] {
  if (table.length === 0) return [];
  return tableLines(table, width) ?? table.flatMap((row) => broken(inlineSpans(row, []), width));
}

function showLine(stream: MarkdownStream, line: string, width: number, open: boolean): Written {
  if (stream.fence !== undefined) return showCode(stream, stream.fence, line);
  const begins = /^\s*(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(line);
  if (begins !== null) {
    const [, mark = '', word = ''] = begins;
    const fence: Fence = {
      mark,
      language: languageOf(word),
      isDiff: /^(diff|patch)$/i.test(word),
      state: undefined,
    };
    const name = terminalProse(word) === '' ? '' : ` ${word}`;
    return {
      stream: { ...stream, fence, blank: false },
      lines: [cutLine(plainLine(`──${name}`, 'dim'), width)],
    };
  }
  if (line.trim() === '') {
    if (stream.blank) return { stream, lines: [] };
    return { stream: { ...stream, blank: true }, lines: [emptyLine] };
  }
  return { stream: { ...stream, blank: false }, lines: showBlock(line, width, open) };
}

/** Code is neither indented nor broken, so that it is copied as it was written. */
function showCode(stream: MarkdownStream, fence: Fence, line: string): Written {
  const closing = /^\s*(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  if (closing?.startsWith(fence.mark))
    return { stream: { ...stream, fence: undefined, blank: false }, lines: [plainLine('──', 'dim')] };
  if (fence.language === undefined) {
    const style: Style = fence.isDiff ? diffStyle(line) : [];
    return { stream, lines: [plainLine(line, ...style)] };
  }
  const { spans, state } = highlightLine(line, fence.language, fence.state);
  return { stream: { ...stream, fence: { ...fence, state } }, lines: [spans] };
}

/** How a line of a diff looks. */
export function diffStyle(line: string): Style {
  if (/^(?:\+\+\+|---|diff |index )/.test(line)) return ['bold'];
  if (line.startsWith('+')) return ['green'];
  if (line.startsWith('-')) return ['red'];
  return line.startsWith('@@') ? ['cyan'] : [];
}

const boxes: Readonly<Record<string, string>> = { '[ ] ': '☐ ', '[x] ': '☑ ', '[X] ': '☑ ' };

function showBlock(line: string, width: number, open: boolean): readonly Line[] {
  const heading = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/.exec(line);
  if (heading !== null) {
    const [, marks = '', title = ''] = heading;
    const style: Style = marks.length === 1 ? ['bold', 'underline'] : ['bold'];
    return broken(inlineSpans(title, style, { open }), width);
  }
  if (/^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line))
    return [plainLine('─'.repeat(Math.min(40, width)), 'dim')];
  const quote = /^ {0,3}>\s?(.*)$/.exec(line);
  if (quote !== null) {
    const lead = [span('│ ', 'dim')];
    return broken([...lead, ...inlineSpans(quote[1] ?? '', ['italic'], { open })], width, lead);
  }
  const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(\[[ xX]\] )?(.*)$/.exec(line);
  if (item !== null) {
    const [, indentation = '', mark = '', box = '', rest = ''] = item;
    const lead = `${indentation}${/\d/.test(mark) ? mark : '•'} ${boxes[box] ?? ''}`;
    const hanging = plainLine(' '.repeat(lead.length));
    return broken([span(lead, 'cyan'), ...inlineSpans(rest, [], { open })], width, hanging);
  }
  const [indentation = ''] = /^\s*/.exec(line) ?? [];
  const hanging = plainLine(indentation);
  const spans = inlineSpans(line.slice(indentation.length).trimEnd(), [], { open });
  return broken([...hanging, ...spans], width, hanging);
}

function broken(line: Line, width: number, hanging: Line = emptyLine): readonly Line[] {
  return wrapLine(line, width, { hanging, wholeWords: true });
}
