import type { ChatEvent, ErrorEvent, ToolEndEvent, ToolStartEvent, Usage } from '../../../core/chat-event.js';
import { cost, count, duration } from '../../../core/format.js';
import { oneLine, terminalProse } from '../../../core/text.js';
import { summarizeToolInput } from '../../../core/tool-input.js';
import { emptyMarkdown, endMarkdown, writeMarkdown } from '../markdown/markdown-stream.js';
import { type Line, plainLine, type StyleName, span, textOf } from '../text/styled-line.js';
import { cutLine, lineWidth, wrapLine } from '../text/wrap.js';
import { askNext, dropQuestion, dropQuestions } from './ask.js';
import { type RunningTool, type Turn, textWidth } from './chat-state.js';
import type { StepBuilder } from './print-lines.js';
import { failureLines, keepOutput } from './tool-output.js';
import { withTurn } from './totals.js';

export function newTurn(now: number): Turn {
  return {
    since: now,
    text: emptyMarkdown,
    hasSpoken: false,
    thinking: undefined,
    tools: [],
    usage: undefined,
    stopping: false,
    unheard: [],
  };
}

/** Shows an event of the agent's turn. The end of the turn is the caller's matter; here it is shown. */
export function showAgent(out: StepBuilder, event: ChatEvent, now: number): void {
  const turn = out.state.turn ?? newTurn(now);
  switch (event.type) {
    case 'text': {
      endThinking(out);
      const written = writeMarkdown(out.state.turn?.text ?? turn.text, event.text, textWidth(out.state));
      setTurn(out, { text: written.stream, hasSpoken: true });
      out.lines('text', written.lines);
      break;
    }
    case 'thinking_start':
      endText(out);
      setTurn(out, { thinking: '' });
      break;
    case 'thinking':
      endText(out);
      think(out, event.text);
      break;
    case 'thinking_end':
      endThinking(out);
      break;
    case 'tool_start':
      endThinking(out);
      endText(out);
      setTurn(out, { tools: [...turn.tools, runningTool(event, out, now)] });
      break;
    case 'tool_end':
      showToolEnd(out, event, now);
      break;
    case 'permission_request':
      endThinking(out);
      endText(out);
      askNext(out, event, now);
      break;
    case 'permission_resolved':
      restartTool(out, event.id, now);
      dropQuestion(out, event.id, now, event.message);
      break;
    case 'usage': {
      const { type: _, ...usage } = event;
      setTurn(out, { usage });
      break;
    }
    case 'notice':
      if (event.level !== 'warning') break;
      endText(out);
      out.lines('note', wrapText(event.message, out, 'yellow'));
      break;
    case 'session':
      break;
    case 'complete':
      if (!turn.hasSpoken && event.text !== '') showAgent(out, { type: 'text', text: event.text }, now);
      endTurn(out, now, event.usage ?? turn.usage);
      break;
    case 'error':
      endTurn(out, now, turn.usage, event);
      break;
  }
}

function setTurn(out: StepBuilder, change: Partial<Turn>): void {
  const { turn } = out.state;
  if (turn !== undefined) out.set({ turn: { ...turn, ...change } });
}

export function endText(out: StepBuilder): void {
  const { turn } = out.state;
  if (turn === undefined || turn.text === emptyMarkdown) return;
  const lines = endMarkdown(turn.text, textWidth(out.state));
  setTurn(out, { text: emptyMarkdown });
  out.lines('text', lines);
}

function think(out: StepBuilder, piece: string): void {
  const all = `${out.state.turn?.thinking ?? ''}${piece}`;
  // A thought that never ends is cut at a word: what waits is bounded.
  const end =
    all.length > 8000 ? Math.max(all.lastIndexOf('\n'), all.lastIndexOf(' ')) : all.lastIndexOf('\n');
  setTurn(out, { thinking: all.slice(end + 1) });
  if (end >= 0) out.lines('thinking', thinkingRows(all.slice(0, end), out));
}

function endThinking(out: StepBuilder): void {
  const { turn } = out.state;
  if (turn?.thinking === undefined) return;
  setTurn(out, { thinking: undefined });
  out.lines('thinking', thinkingRows(turn.thinking, out));
}

function thinkingRows(text: string, out: StepBuilder): readonly Line[] {
  return out.state.showsThinking ? thinkingLines(text, textWidth(out.state)) : [];
}

/** The lead tells it from an answer, also without colours. */
export function thinkingLines(text: string, width: number): readonly Line[] {
  return terminalProse(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) =>
      wrapLine([span('· ', 'dim'), span(line.trim(), 'dim', 'italic')], width, { hanging: [span('  ')] }),
    );
}

function runningTool({ id, name, input }: ToolStartEvent, { state }: StepBuilder, now: number): RunningTool {
  return { id, name: oneLine(name), summary: summarizeToolInput(name, input, state.status.cwd), since: now };
}

/** The time that a person took to allow a tool is not the tool's. */
function restartTool(out: StepBuilder, questionId: string, now: number): void {
  const toolId = out.state.asked.get(questionId);
  const tools = out.state.turn?.tools.map((tool) => (tool.id === toolId ? { ...tool, since: now } : tool));
  if (toolId !== undefined && tools !== undefined) setTurn(out, { tools });
}

function showToolEnd(out: StepBuilder, event: ToolEndEvent, now: number): void {
  const { id, output, isError } = event;
  const denied = event.denied === true || (isError && out.state.denied.has(id));
  const tool = out.state.turn?.tools.find((one) => one.id === id);
  if (tool === undefined) return;
  endText(out);
  setTurn(out, { tools: (out.state.turn?.tools ?? []).filter((one) => one !== tool) });
  const failed = isError || denied;
  const mark = failed ? span('✗ ', 'red') : span('✓ ', 'green');
  const rows = [
    toolLine(mark, tool, denied ? 'denied' : duration(now - tool.since), textWidth(out.state), failed),
  ];
  keepOutput(out, tool, output);
  if (failed && !denied) rows.push(...failureLines(output, textWidth(out.state)));
  out.lines('tool', rows);
}

/** One row: the summary gives way, so that the outcome is seen. */
export function toolLine(
  mark: Line[number],
  { name, summary }: Pick<RunningTool, 'name' | 'summary'>,
  outcome: string,
  width: number,
  failed = false,
): Line {
  const tail = [span(`  ${outcome}`, 'dim')];
  const words = summary === '' ? [] : [span(` ${summary}`)];
  const head: Line = [mark, failed ? span(name, 'bold', 'red') : span(name, 'bold'), ...words];
  return [...cutLine(head, Math.max(4, width - lineWidth(tail))), ...tail];
}

function endTurn(out: StepBuilder, now: number, usage: Usage | undefined, error?: ErrorEvent): void {
  endThinking(out);
  endText(out);
  const { turn, totals, status } = out.state;
  // Tools that were stopped have no end of their own.
  for (const tool of turn?.tools ?? [])
    out.lines('tool', [toolLine(span('✗ ', 'red'), tool, 'stopped', textWidth(out.state), true)]);
  dropQuestions(out);
  const ms = now - (turn?.since ?? now);
  if (error !== undefined) showError(out, error);
  out.lines('usage', wrapLine(plainLine(usageWords(ms, usage), 'dim'), textWidth(out.state)));
  out.set({
    turn: undefined,
    totals: withTurn(totals, status.backend, ms, usage),
  });
}

function showError(out: StepBuilder, { code, message }: ErrorEvent): void {
  if (code === 'interrupted') out.lines('note', [plainLine('Interrupted.', 'yellow')]);
  else out.lines('note', wrapText(`✗ ${message}`, out, 'red'));
}

/** `1.2 s · 3,204 in, 512 out · $0.0213 · context 12%` */
export function usageWords(ms: number, usage: Usage | undefined): string {
  const { inputTokens = 0, outputTokens = 0, costUsd = 0, contextTokens, contextWindow } = usage ?? {};
  const tokens =
    inputTokens + outputTokens > 0 ? [`${count(inputTokens)} in, ${count(outputTokens)} out`] : [];
  const price = costUsd > 0 ? [cost(costUsd)] : [];
  const full =
    contextTokens !== undefined && contextWindow !== undefined && contextWindow > 0
      ? [`context ${Math.round((100 * contextTokens) / contextWindow)}%`]
      : [];
  return [duration(ms), ...tokens, ...price, ...full].join(' · ');
}

/** Text of somebody else, line by line, broken at words. */
export function wrapText(text: string, out: StepBuilder, ...style: readonly StyleName[]): readonly Line[] {
  return terminalProse(text)
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrapLine(plainLine(line, ...style), textWidth(out.state)))
    .map((row) => (textOf(row).trim() === '' ? [] : row));
}
