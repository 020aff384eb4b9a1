import { count } from '../../../core/format.js';
import { terminalProse } from '../../../core/text.js';
import { type Line, plainLine, span } from '../text/styled-line.js';
import { cutLine } from '../text/wrap.js';
import { type RunningTool, type ToolOutput, textWidth } from './chat-state.js';
import type { StepBuilder } from './print-lines.js';

/** So much is kept for Ctrl-O: the newest tools, and the end of a long output, where failures are told. */
const mostTools = 20;
const mostText = 200_000;
const mostLines = 1000;
/** So much of a failed tool's output is shown without being asked for. */
const mostOfFailure = 5;

export function keepOutput(out: StepBuilder, { name, summary }: RunningTool, output: string): void {
  const text = output.slice(-mostText);
  const outputs: readonly ToolOutput[] = [...out.state.outputs, { name, summary, text }];
  out.set({ outputs: outputs.slice(-mostTools) });
}

/** Ctrl-O: prints the output of the last tool; again, that of the tool before it. */
export function showOutput(out: StepBuilder, now: number): void {
  const tool = out.state.outputs.at(-1);
  if (tool === undefined) {
    out.hint('No tool has an output that was not shown yet.', now);
    return;
  }
  out.set({ outputs: out.state.outputs.slice(0, -1) });
  const { name, summary, text } = tool;
  const lines = linesOf(text);
  const shown = lines.slice(-mostLines);
  const left = lines.length - shown.length;
  const title = cutLine([span(name, 'bold'), span(` ${summary}`)], textWidth(out.state));
  // Its lines stay whole, so that they are copied as they are.
  out.lines('text', [
    title,
    ...(left > 0 ? [plainLine(`… ${count(left)} lines above`, 'dim')] : []),
    ...(shown.length === 0 ? [plainLine('(no output)', 'dim')] : shown.map((line) => plainLine(line, 'dim'))),
  ]);
}

/** The beginning of what a failed tool has said. */
export function failureLines(output: string, width: number): readonly Line[] {
  const lines = linesOf(output.slice(0, mostText)).filter((line) => line.trim() !== '');
  const shown = lines
    .slice(0, mostOfFailure)
    .map((line, index) => cutLine([span('  '), span(line, index === 0 ? 'red' : 'dim')], width));
  const left = lines.length - shown.length;
  const more = `  … ${count(left)} more ${left === 1 ? 'line' : 'lines'}: Ctrl-O shows all`;
  return left > 0 ? [...shown, plainLine(more, 'dim')] : shown;
}

function linesOf(text: string): readonly string[] {
  const lines = terminalProse(text).trimEnd().split('\n');
  return lines.length === 1 && lines[0] === '' ? [] : lines;
}
