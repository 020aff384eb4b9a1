import { proseLine, wholeLine } from '../../core/text.js';
import { cutToColumns, widthOf } from '../../core/width.js';
import { add, type Progress, type StepProgress } from './chain-progress.js';
import { compactUsage, stopwatch } from './chain-words.js';

/**
 * The line at the bottom of a terminal: `[2/5] builder (codex) 3/20 · 4:12 · 12.3k tokens · $0.42 · the agent's last line`. It
 * takes no more than the given columns.
 */
export function liveLine(progress: Progress, now: number, columns: number): string {
  const running = [...progress.begun].filter(([, step]) => !step.ended);
  const spent = running.reduce((sum, [, { usage }]) => add(sum, usage), progress.spent);
  const facts = [stopwatch(now - progress.startedAt), ...compactUsage(spent)];
  const head = [where(running, progress.steps), ...facts].filter((part) => part !== '').join(' · ');
  const talking = progress.begun.get(progress.latest ?? -1);
  const words = talking === undefined || talking.ended ? '' : lastWords(talking, now, running.length > 1);
  // The last words get what is left of the row: less than a few columns of them say nothing.
  const room = columns - widthOf(head) - 3;
  // Of a line that is still being written the end is shown: one sees that it grows.
  const keep = talking?.doing === undefined && talking?.saying !== '' ? 'end' : 'beginning';
  return cutToColumns(
    words === '' || room < 8 ? head : `${head} · ${cutToColumns(words, room, keep)}`,
    columns,
  );
}

function where(running: readonly (readonly [number, StepProgress])[], steps: number): string {
  const [first, ...others] = running;
  if (first === undefined) return '';
  const [number, step] = first;
  const of = Math.max(steps, number + 1);
  if (others.length === 0)
    return wholeLine(`[${number + 1}/${of}] ${step.agent} (${step.backend})${round(step)}`);
  const list = running.map(([, each]) => `${each.agent}${round(each)}`).join(', ');
  return wholeLine(`[${running.length} of ${of} steps at once] ${list}`);
}

function round({ loop, iteration, iterations }: StepProgress): string {
  return loop && iteration > 0 ? ` ${iteration}/${iterations}` : '';
}

function lastWords({ agent, doing, said }: StepProgress, now: number, named: boolean): string {
  const left = doing?.until === undefined ? '' : ` (${stopwatch(doing.until - now)} left)`;
  const words = proseLine(doing === undefined ? said : `${doing.what}${left}`);
  return named && words !== '' ? `${wholeLine(agent)}: ${words}` : words;
}
