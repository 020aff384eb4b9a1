import type { PermissionRequestEvent } from '../../../core/chat-event.js';
import { emptyLines, isEmptyLine, mostEmptyLines } from '../../../core/fold-blanks.js';
import { printJson } from '../../../core/json.js';
import { unifiedDiff } from '../../../core/line-diff.js';
import { exactLine } from '../../../core/text.js';
import { describeWholeInput, type FileEdit, unshownFields } from '../../../core/tool-input.js';
import { diffStyle } from '../markdown/markdown-stream.js';
import { type Line, plainLine, type Style, span } from '../text/styled-line.js';
import { wrapLine } from '../text/wrap.js';

/** A request with what its face has found out about it: files that it would write elsewhere than their paths say. */
export interface AskedRequest extends PermissionRequestEvent {
  readonly leads?: readonly { readonly path: string; readonly leadsTo: string; readonly outside?: boolean }[];
}

export interface DescribedRequest {
  readonly lines: readonly Line[];
  /** What is left to be shown if somebody wants to see all. */
  readonly more: readonly Line[];
}

/** The rows of the window that the question needs beside it: its title, what runs, the choices, the status. */
const otherRows = 9;
const fewestRows = 3;

/**
 * What an agent wants to do, whole: nobody can allow what can't be seen. Each row has a mark in front, so that none can look like
 * a row of the chat's own.
 */
export function describeRequest(
  request: AskedRequest,
  { width, rows: windowRows, cwd }: { readonly width: number; readonly rows: number; readonly cwd: string },
): DescribedRequest {
  const { title, rows } = requestRows(request, width, cwd);
  const mostRows = Math.max(fewestRows, windowRows - otherRows);
  if (rows.length <= mostRows) return { lines: [...title, ...rows], more: [] };
  const left = rows.length - mostRows;
  const note = plainLine(`  … ${left} more ${left === 1 ? 'row' : 'rows'}: [v] shows all`, 'dim');
  return { lines: [...title, ...rows.slice(0, mostRows), note], more: rows.slice(mostRows) };
}

/** All of it; `turnout run` shows it so. */
export function requestRows(
  request: AskedRequest,
  width: number,
  cwd: string,
): { readonly title: readonly Line[]; readonly rows: readonly Line[] } {
  const mark = span('│ ', 'dim');
  const described = [...leadRows(request), ...foldEmpty(detailRows(request, cwd)), ...alwaysRows(request)];
  const rows = described.flatMap(({ lead, text, style }) =>
    wrapLine([mark, { text: lead + exactLine(text), style }], width, { hanging: [mark], atWords: false }),
  );
  const title: Line = [
    span('? ', 'bold', 'yellow'),
    span(exactLine(request.tool), 'bold'),
    span(' needs your permission'),
  ];
  return { title: wrapLine(title, width, { hanging: [mark] }), rows };
}

interface Row {
  /** Ours: the sign of a command, or of a line in a diff. */
  readonly lead: string;
  readonly text: string;
  readonly style: Style;
}

/** Many empty lines would push what is above them out of the window: they are told in words. */
function foldEmpty(rows: readonly Row[]): readonly Row[] {
  const shown: Row[] = [];
  for (let at = 0; at < rows.length; ) {
    const row = rows[at] as Row;
    const end = endOfEmpty(rows, at);
    if (end - at > mostEmptyLines) shown.push({ ...row, text: `… ${emptyLines(end - at).fold} …` });
    else shown.push(...rows.slice(at, Math.max(end, at + 1)));
    at = Math.max(end, at + 1);
  }
  return shown;
}

/** The place behind the empty rows that begin here and have the same sign. */
function endOfEmpty(rows: readonly Row[], at: number): number {
  let end = at;
  while (rows[end]?.lead === rows[at]?.lead && isEmptyLine(rows[end]?.text ?? '-')) end += 1;
  return end;
}

function detailRows({ tool, input }: PermissionRequestEvent, cwd: string): readonly Row[] {
  const action = describeWholeInput(tool, input);
  const unshown = unshownFields(tool, input).flatMap(({ name, value }) => fieldRows(name, value, ['dim']));
  switch (action.type) {
    case 'command': {
      const elsewhere = action.cwd !== undefined && action.cwd !== cwd;
      const where = elsewhere ? [row(`in ${action.cwd}`, ['dim'])] : [];
      return [...linesOf(action.command, ['cyan'], '$ '), ...where, ...unshown];
    }
    case 'edit':
      return [...action.edits.flatMap(editRows), ...unshown];
    case 'todos':
      return [
        ...action.items.map(({ text, state }) => row(text, [], state === 'completed' ? '☑ ' : '☐ ')),
        ...unshown,
      ];
    case 'other':
      return inputRows(input);
  }
}

function leadRows({ leads = [] }: AskedRequest): readonly Row[] {
  return leads.map(({ path, leadsTo, outside }) =>
    outside
      ? row(`${path} leads outside the work tree, to ${leadsTo}`, ['bold', 'yellow'])
      : row(`${path} is a link: it leads to ${leadsTo}`, ['yellow']),
  );
}

/** All that "always" would allow. */
function alwaysRows({ options, always }: PermissionRequestEvent): readonly Row[] {
  if (always === undefined || !options.includes('allow_always')) return [];
  return [row('“always” allows, until the session ends:', ['dim']), ...linesOf(always, ['yellow'], '  ')];
}

function editRows({ path, before, after, diff, movedTo, deleted, note }: FileEdit): readonly Row[] {
  const rows: Row[] = [row(path, ['bold'])];
  if (movedTo !== undefined) rows.push(row(`is moved to ${movedTo}`, ['yellow']));
  if (deleted) rows.push(row('is deleted', ['red']));
  if (note !== undefined) rows.push(row(note, ['dim']));
  if (diff !== undefined) return [...rows, ...diffRows(diff, path)];
  if (before === undefined && after === undefined) return rows;
  return [...rows, ...diffRows(unifiedDiff(before ?? '', after ?? '', {}), path)];
}

function diffRows(diff: string, path: string): readonly Row[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const hunk = lines.findIndex((line) => line.startsWith('@@'));
  return lines
    .filter((line, at) => at >= hunk || !namesFile(line, path))
    .map((line) => {
      const [sign = ''] = /^[-+ ]/.exec(line) ?? [];
      return row(line.slice(sign.length), diffStyle(line), sign);
    });
}

/** A line in front of the changes that only says again which file it is. Another name, or one further down, is shown. */
function namesFile(line: string, path: string): boolean {
  if (/^={10,}$/.test(line)) return true;
  const name = /^(?:Index:|---|\+\+\+) (?:[ab]\/)?([^\t]+)/.exec(line)?.[1]?.trim();
  return name !== undefined && (name === '/dev/null' || name === path || path.endsWith(`/${name}`));
}

function inputRows(input: unknown): readonly Row[] {
  if (input === undefined) return [];
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return linesOf(typeof input === 'string' ? input : printJson(input), []);
  return Object.entries(input).flatMap(([name, value]) => fieldRows(name, value, []));
}

function fieldRows(name: string, value: unknown, style: Style): readonly Row[] {
  return linesOf(`${name}: ${typeof value === 'string' ? value : printJson(value)}`, style);
}

function linesOf(text: string, style: Style, sign = ''): readonly Row[] {
  return text
    .split('\n')
    .map((line, index) => row(line, style, index === 0 ? sign : ' '.repeat(sign.length)));
}

function row(text: string, style: Style, lead = ''): Row {
  return { lead, text, style };
}
