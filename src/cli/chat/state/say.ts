import { count } from '../../../core/format.js';
import { terminalProse } from '../../../core/text.js';
import { type Line, plainLine, span } from '../text/styled-line.js';
import { wrapLine } from '../text/wrap.js';
import { textWidth } from './chat-state.js';
import type { StepBuilder } from './print-lines.js';
import { newTurn } from './show-agent.js';

/** Says something. Where lines come in whole, what was just typed is on the screen already. */
export function say(out: StepBuilder, text: string, now: number, isOnScreen = false): void {
  if (!isOnScreen) showSaid(out, text);
  out.set({ turn: newTurn(now), lastPrompt: text });
  out.effect({ type: 'say', text });
}

/** What waited is said when nothing runs any more. */
export function sayQueued(out: StepBuilder, now: number): void {
  const { queue, turn, doing, leaving } = out.state;
  if (queue.length === 0 || turn !== undefined || doing !== undefined || leaving) return;
  out.set({ queue: [] });
  say(out, queue.join('\n\n'), now);
}

/** The user's own words in the scrollback. */
export function showSaid(out: StepBuilder, text: string, by?: string): void {
  const lead = span(by === undefined ? '❯ ' : `${terminalProse(by)} ❯ `, 'bold', 'cyan');
  const rows = terminalProse(text)
    .split('\n')
    .flatMap((line, index) =>
      // An empty line within the text is no end of it.
      index > 0 && line.trim() === ''
        ? [[span(' ')]]
        : wrapLine([index === 0 ? lead : span('  '), span(line, 'bold')], textWidth(out.state), {
            hanging: [span('  ')],
            wholeWords: true,
          }),
    );
  out.lines('said', by === undefined ? beginning(rows) : rows);
}

/** Whoever has pasted a long text knows it. */
function beginning(rows: readonly Line[]): readonly Line[] {
  const left = rows.length - mostSaid;
  if (left <= 2) return rows;
  return [...rows.slice(0, mostSaid), plainLine(`  … ${count(left)} more lines`, 'dim')];
}

const mostSaid = 10;
