import { count, duration } from '../../../core/format.js';
import { proseLine } from '../../../core/text.js';
import { graphemes, graphemeWidth } from '../../../core/width.js';
import { spinnerFrames } from '../../output/spinner.js';
import { pendingMarkdown } from '../markdown/markdown-stream.js';
import { emptyLine, type Line, plainLine, type Span, span } from '../text/styled-line.js';
import { cutLine } from '../text/wrap.js';
import { type ChatState, type RunningTool, textWidth } from './chat-state.js';
import { needsGap } from './print-lines.js';
import { questionLead, questionLine } from './question-line.js';
import { thinkingLines, toolLine } from './show-agent.js';

/** The rows at the bottom of the terminal that are drawn anew, and where the cursor stands among them. */
export interface LiveRegion {
  readonly rows: readonly Line[];
  readonly cursor: { readonly row: number; readonly column: number };
}

export const promptMark = '❯ ';

export function liveRegion(state: ChatState, now: number): LiveRegion {
  if (state.leaving) return { rows: [plainLine('leaving…', 'dim')], cursor: { row: 0, column: 0 } };
  const width = textWidth(state);
  // The last row of the window stays out of it: a region as high as the window would scroll itself away.
  const room = Math.max(3, state.rows - 1);
  const input = inputRows(state, Math.max(1, Math.min(room - 2, Math.ceil(state.rows / 2))), now);
  const footer = footerLine(state, now);
  const left = Math.max(0, room - input.rows.length - 1);
  const work = workRows(state, width, now);
  const gap = work.length > 0 || !state.endsBlank ? [emptyLine] : [];
  const above = [...work, ...gap];
  const shown = above.length <= left ? above : above.slice(above.length - left);
  return {
    // Whatever a row holds: one that is too long would break in two, and the next frame would miss its place.
    rows: [...shown, ...input.rows, footer].map((row) => cutLine(row, width)),
    cursor: { row: shown.length + input.cursor.row, column: Math.min(input.cursor.column, width) },
  };
}

/** True if a line is waited for: a terminal that can't move its cursor gets a prompt then. */
export function awaitsInput({ turn, doing, questions, leaving }: ChatState): boolean {
  return !leaving && doing === undefined && (turn === undefined || questions.length > 0);
}

/** True if the picture changes with the time alone. */
export function isMoving({ turn, doing, hint, questions, leaving }: ChatState, now: number): boolean {
  if (leaving) return false;
  const [question] = questions;
  if (question !== undefined) return now < question.armedAt + 200;
  return turn !== undefined || doing !== undefined || (hint !== undefined && now < hint.until + 200);
}

function workRows(state: ChatState, width: number, now: number): readonly Line[] {
  const { turn, queue, steering, doing } = state;
  const wheel = spinnerFrames[Math.floor(now / 100) % spinnerFrames.length] ?? '';
  const rows: Line[] = [];
  if (turn !== undefined) {
    const said = pendingMarkdown(turn.text, width);
    const thought =
      turn.thinking === undefined || !state.showsThinking
        ? []
        : thinkingLines(turn.thinking, width).slice(-6);
    const pending = [...said, ...thought];
    if (pending.length > 0 && needsGap(state, said.length > 0 ? 'text' : 'thinking')) rows.push(emptyLine);
    rows.push(...pending);
    const tools = turn.tools.slice(-4);
    if (tools.length > 0 && (rows.length > 0 || needsGap(state, 'tool'))) rows.push(emptyLine);
    for (const tool of tools)
      rows.push(
        isAskedAbout(state, tool)
          ? toolLine(span('? ', 'yellow'), tool, 'waits for you', width)
          : toolLine(span(`${wheel} `, 'cyan'), tool, since(tool.since, now), width),
      );
    const hidden = turn.tools.length - tools.length;
    if (hidden > 0) rows.push(plainLine(`  … and ${hidden} more`, 'dim'));
    if (state.questions.length === 0) {
      if (rows.length > 0 || !state.endsBlank) rows.push(emptyLine);
      rows.push(workingLine(state, wheel, now));
    }
  }
  if (doing !== undefined) rows.push(plainLine(`${wheel} ${proseLine(doing)} …`, 'dim'));
  for (const text of [...steering, ...queue])
    rows.push(cutLine(plainLine(`  queued: ${proseLine(text)}`, 'dim'), width));
  if (queue.length > 0)
    rows.push(cutLine(plainLine(queue.length === 1 ? waitsAlone : waitTogether, 'dim'), width));
  return rows;
}

const waitsAlone = '  It is said after this turn. ↑ takes it back.';
const waitTogether = '  They are said together after this turn. ↑ takes the last one back.';

function workingLine({ turn, status, editor }: ChatState, wheel: string, now: number): Line {
  const what = turn?.stopping ? 'is stopping' : turn?.thinking === undefined ? 'is working' : 'is thinking';
  const into = status.steers && !turn?.stopping ? 'into this turn' : 'after this turn';
  const enter = editor.text === '' || status.steers === undefined ? '' : `Enter: ${into} · `;
  return [
    span(`${wheel} `, 'cyan'),
    span(`${proseLine(status.backend)} ${what} `, 'dim'),
    span(`${since(turn?.since ?? now, now)} · ${enter}Ctrl-C stops it`, 'dim'),
  ];
}

/** A gateway does not tell which call of a tool its question is about. */
function isAskedAbout({ questions }: ChatState, { id, name }: RunningTool): boolean {
  return questions.some(({ request: { toolId, tool } }) =>
    toolId === undefined ? proseLine(tool) === name : toolId === id,
  );
}

function since(then: number, now: number): string {
  const ms = now - then;
  return ms < 60_000 ? `${Math.floor(ms / 1000)}s` : duration(ms);
}

interface InputRows {
  readonly rows: readonly Line[];
  readonly cursor: { readonly row: number; readonly column: number };
}

function inputRows(state: ChatState, most: number, now: number): InputRows {
  if (state.picker !== undefined) return pickerRows(state, most, now);
  const question = questionLine(state, now);
  const field = fieldRows(state, most);
  if (question === undefined) return field;
  const rows = state.editor.text === '' ? [question] : [question, ...field.rows];
  return state.focus === 'question'
    ? { rows, cursor: { row: 0, column: questionLead.length } }
    : { rows, cursor: { ...field.cursor, row: field.cursor.row + rows.length - field.rows.length } };
}

function fieldRows({ editor, turn, ...state }: ChatState, most: number): InputRows {
  const view = editorRows(editor.text, editor.cursor, textWidth(state));
  const [first] = view.rows;
  if (editor.text === '' && turn === undefined)
    return { ...view, rows: [[...(first ?? []), span('Ask anything; /help lists the commands', 'dim')]] };
  return around(view, most);
}

/** As much of a long text as there is room for, with the cursor in it. The first row and the last one count what is not seen. */
function around({ rows, cursor }: InputRows, most: number): InputRows {
  // In a very low window every row is for the text.
  const counts = most >= 4;
  const behindCursor = counts ? 1 : 0;
  const wanted = cursor.row - (most - 1 - behindCursor);
  const begin = Math.max(0, Math.min(wanted, rows.length - most));
  const shown = rows.slice(begin, begin + most);
  const below = rows.length - begin - shown.length;
  if (counts && begin > 0) shown.splice(0, 1, told(promptMark, begin + 1, 'above'));
  if (counts && below > 0) shown.splice(-1, 1, told('  ', below + 1, 'below'));
  return { rows: shown, cursor: { ...cursor, row: cursor.row - begin } };
}

function told(lead: string, number: number, where: string): Line {
  return [
    span(lead, 'bold', 'cyan'),
    span(`… ${count(number)} ${number === 1 ? 'line' : 'lines'} ${where}`, 'dim'),
  ];
}

/** The text as it is written, broken where the window ends. */
function editorRows(text: string, cursor: number, width: number): InputRows {
  const rows: Line[] = [];
  let row: string[] = [];
  let used = 2;
  let at = 0;
  let place = { row: 0, column: 2 };
  const end = () => {
    const lead: Span = rows.length === 0 ? span(promptMark, 'bold', 'cyan') : span('  ');
    rows.push([lead, span(row.join(''))]);
    row = [];
    used = 2;
  };
  for (const piece of graphemes(text)) {
    const wide = graphemeWidth(piece);
    if (piece !== '\n' && used + wide > width) end();
    if (at === cursor) place = { row: rows.length, column: used };
    at += piece.length;
    if (piece === '\n') end();
    else {
      row.push(piece);
      used += wide;
    }
  }
  if (at === cursor) {
    if (used >= width) end();
    place = { row: rows.length, column: used };
  }
  end();
  return { rows, cursor: place };
}

function pickerRows(state: ChatState, most: number, now: number): InputRows {
  const { sessions = [], at = 0 } = state.picker ?? {};
  const shown = Math.max(1, Math.min(10, most));
  const first = Math.max(0, Math.min(at - Math.floor(shown / 2), sessions.length - shown));
  const rows = sessions.slice(first, first + shown).map(({ title, updatedAt, backend }, index) => {
    const chosen = first + index === at;
    const when = `${duration(Math.max(0, now - updatedAt))} ago`;
    const style = chosen ? (['bold', 'cyan'] as const) : [];
    return cutLine(
      [
        span(chosen ? promptMark : '  ', ...style),
        span(proseLine(title) || '(no words)', ...style),
        span(`  ${backend === undefined ? '' : `${backend}, `}${when}`, 'dim'),
      ],
      textWidth(state),
    );
  });
  return { rows, cursor: { row: at - first, column: 0 } };
}

function footerLine(state: ChatState, now: number): Line {
  const { hint, status, picker, search } = state;
  if (hint !== undefined && now < hint.until) return plainLine(hint.text, 'yellow');
  if (picker !== undefined) return plainLine('↑ ↓ choose · Enter goes on with it · Esc leaves it', 'dim');
  if (search !== undefined) {
    const keys = search.isMissing
      ? 'is in no earlier message'
      : 'Ctrl-R finds an older one · Enter takes it · Esc leaves it';
    return [span(`search: ${proseLine(search.words)}`, 'cyan'), span(`  ${keys}`, 'dim')];
  }
  const { backend, model, thinking, permissionMode, place, channel } = status;
  const facts = [
    channel === undefined ? undefined : `channel ${channel}`,
    backend,
    model,
    thinking === undefined ? undefined : `thinking ${thinking}`,
    permissionMode,
    place,
  ];
  return plainLine(
    facts
      .filter((fact) => fact !== undefined)
      .map(proseLine)
      .join(' · '),
    'dim',
  );
}
