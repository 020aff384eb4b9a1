import { prose } from '../../../../core/text.js';
import { cellsOf } from './align-table.js';
import { type FenceMark, fenceMarks } from './fence-marks.js';
import { renderTable } from './render-table.js';
import { rewriteLine } from './rewrite-line.js';

/**
 * Rewrites Markdown that Discord does not know so that it can be read there: tables come into a fence, with their columns aligned, wide
 * ones become lists, tasks have boxes, images are links, fences of `~~~` or of
 * more than three backticks get three, headings deeper than the third level become those of the third. The words stay.
 * Nothing in it is invisible.
 */
export function toDiscordMarkdown(given: string): string {
  const text = prose(given.replace(/\r\n?/g, '\n'));
  const edits: Edit[] = [];
  let from = 0;
  let opener: FenceMark | undefined;
  for (const mark of fenceMarks(text)) {
    if (mark.fence !== undefined) {
      editProse(text, from, mark.from, edits);
      opener = mark;
    } else {
      if (opener !== undefined) editFence(text, opener, mark, edits);
      opener = undefined;
      from = mark.lineEnd;
    }
  }
  if (opener === undefined) editProse(text, from, text.length, edits);
  else editFence(text, opener, undefined, edits);
  return apply(text, edits);
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A fence that holds three backticks needs more of them than Discord knows: it stays as it is. */
function editFence(text: string, opener: FenceMark, closer: FenceMark | undefined, edits: Edit[]): void {
  if (text.slice(opener.to, opener.lineEnd).includes('`')) return;
  if (text.slice(opener.lineEnd, closer?.from ?? text.length).includes('```')) return;
  for (const mark of closer === undefined ? [opener] : [opener, closer]) {
    const from = mark.to - mark.markerLength;
    if (mark.markerLength > 0 && text.slice(from, mark.to) !== '```')
      edits.push({ from, to: mark.to, text: '```' });
  }
}

/** Text that is no code. */
function editProse(text: string, from: number, to: number, edits: Edit[]): void {
  let above: Line | undefined;
  let table: { readonly from: number; to: number; readonly rows: string[] } | undefined;
  const endTable = () => {
    if (table !== undefined && !table.rows.some((row) => row.includes('```'))) {
      // The head was taken for a line of text before the row below it was seen.
      while ((edits.at(-1)?.from ?? -1) >= table.from) edits.pop();
      edits.push({ from: table.from, to: table.to, text: renderTable(table.rows) });
      // A line below it is no heading's underline.
      above = undefined;
    }
    table = undefined;
  };
  for (const line of linesOf(text, from, to)) {
    const row = line.text.includes('|');
    if (table !== undefined && !row) endTable();
    if (table !== undefined) {
      table.to = line.to;
      table.rows.push(line.text);
    } else if (above?.text.includes('|') && isDelimiterRow(line.text, above.text)) {
      table = { from: above.from, to: line.to, rows: [above.text, line.text] };
    } else if (/^#{4,6} /.test(line.text)) {
      edits.push({ from: line.from, to: line.from + line.text.indexOf(' '), text: '###' });
    } else {
      const rewritten = rewriteLine(line.text, above?.text);
      if (rewritten !== line.text) edits.push({ from: line.from, to: line.to, text: rewritten });
    }
    above = line;
  }
  endTable();
}

interface Line {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function* linesOf(text: string, from: number, to: number): Generator<Line> {
  for (let at = from; at < to; ) {
    const lineBreak = text.indexOf('\n', at);
    const end = lineBreak === -1 || lineBreak > to ? to : lineBreak;
    yield { from: at, to: end, text: text.slice(at, end) };
    at = end + 1;
  }
}

/** The row below a table's head: `| --- | :-: |`, with as many cells. A table in a quote is left alone. */
function isDelimiterRow(line: string, head: string): boolean {
  if (!line.includes('-') || !/^[|:\- \t]+$/.test(line) || head.trimStart().startsWith('>')) return false;
  const cells = cellsOf(line);
  return cells.every((cell) => /^:?-+:?$/.test(cell.trim())) && cells.length === cellsOf(head).length;
}

function apply(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  let at = 0;
  const parts: string[] = [];
  for (const edit of edits) {
    parts.push(text.slice(at, edit.from), edit.text);
    at = edit.to;
  }
  return parts.join('') + text.slice(at);
}
