import type { PermissionRequestEvent } from '../../../core/chat-event.js';
import { printJson } from '../../../core/json.js';
import { unifiedDiff } from '../../../core/line-diff.js';
import { describeWholeInput, type FileEdit, unshownFields } from '../../../core/tool-input.js';
import { diffStyle } from '../markdown/markdown-stream.js';
import { harmless, harmlessLine } from '../text/harmless.js';
import { type Line, plainLine, type Style, span } from '../text/styled-line.js';
import { wrapLine } from '../text/wrap.js';

export interface DescribedRequest {
  readonly lines: readonly Line[];
  /** What is left to be shown if somebody wants to see all. */
  readonly more: readonly Line[];
}

/** The rows of the window that the question needs beside it: its title, what runs, the choices, the status. */
const otherRows = 9;
const fewestRows = 3;

/** What an agent wants to do, whole and harmless: nobody can allow what can't be seen. */
export function describeRequest(
  request: PermissionRequestEvent,
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
  request: PermissionRequestEvent,
  width: number,
  cwd: string,
): { readonly title: readonly Line[]; readonly rows: readonly Line[] } {
  const rows = detailRows(request, cwd).flatMap(([text, style]) =>
    wrapLine([span('  '), { text: harmless(text), style }], width, { hanging: [span('  ')], atWords: false }),
  );
  const title: Line = [
    span('? ', 'bold', 'yellow'),
    span(harmlessLine(request.tool), 'bold'),
    span(' needs your permission'),
  ];
  return { title: wrapLine(title, width), rows };
}

type Row = readonly [text: string, style: Style];

function detailRows({ tool, input }: PermissionRequestEvent, cwd: string): readonly Row[] {
  const action = describeWholeInput(tool, input);
  const unshown = unshownFields(tool, input).map(
    ({ name, value }): Row => [`${name}: ${typeof value === 'string' ? value : printJson(value)}`, ['dim']],
  );
  switch (action.type) {
    case 'command': {
      const where =
        action.cwd === undefined || action.cwd === cwd ? [] : [[`in ${action.cwd}`, ['dim']] as Row];
      return [...linesOf(action.command, ['cyan'], '$ '), ...where, ...unshown.flatMap(splitRow)];
    }
    case 'edit':
      return [...action.edits.flatMap((edit) => editRows(edit)), ...unshown.flatMap(splitRow)];
    case 'todos':
      return action.items.map(({ text, state }) => [`${state === 'completed' ? '☑' : '☐'} ${text}`, []]);
    case 'other':
      return fieldRows(input);
  }
}

function editRows(edit: FileEdit): readonly Row[] {
  const { path, before, after, diff, movedTo, deleted, note } = edit;
  const rows: Row[] = [[path, ['bold']]];
  if (movedTo !== undefined) rows.push([`is moved to ${movedTo}`, ['yellow']]);
  if (deleted) rows.push(['is deleted', ['red']]);
  if (note !== undefined) rows.push([note, ['dim']]);
  const shown =
    diff ?? (before === undefined && after === undefined ? '' : unifiedDiff(before ?? '', after ?? '', {}));
  const lines = shown.split('\n').filter((line) => line !== '');
  const hunk = lines.findIndex((line) => line.startsWith('@@'));
  for (const [at, line] of lines.entries())
    if (at >= hunk || !namesFile(line, path)) rows.push([line, diffStyle(line)]);
  return rows;
}

/** A line in front of the changes that only says again which file it is. Another name, or one further down, is shown. */
function namesFile(line: string, path: string): boolean {
  if (/^={10,}$/.test(line)) return true;
  const name = /^(?:Index:|---|\+\+\+) (?:[ab]\/)?([^\t]+)/.exec(line)?.[1]?.trim();
  return name !== undefined && (name === '/dev/null' || name === path || path.endsWith(`/${name}`));
}

function fieldRows(input: unknown): readonly Row[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    const text = typeof input === 'string' ? input : printJson(input);
    return input === undefined ? [] : linesOf(text, []);
  }
  return Object.entries(input).flatMap(([name, value]) =>
    splitRow([`${name}: ${typeof value === 'string' ? value : printJson(value)}`, []]),
  );
}

function splitRow([text, style]: Row): readonly Row[] {
  return linesOf(text, style);
}

function linesOf(text: string, style: Style, lead = ''): readonly Row[] {
  return text
    .split('\n')
    .map((line, index) => [`${index === 0 ? lead : ' '.repeat(lead.length)}${line}`, style]);
}
