import { cost, count, duration } from '../../core/format.js';
import { wholeLine } from '../../core/text.js';
import type { RunReport, StepReport } from '../../orchestra/types.js';
import { table } from '../output/table.js';
import { add, nothingSpent } from './chain-progress.js';
import { iterationsInWords, stepLabel } from './chain-words.js';

export interface SummaryFacts {
  readonly elapsedMs?: number | undefined;
  readonly reportFile?: string | undefined;
  /** The reasons of steps that were skipped, by their number from 0. */
  readonly skipped?: ReadonlyMap<number, string>;
  readonly worktree?: { readonly path: string; readonly branch: string } | undefined;
  /** The command that goes on with the run, if there is something to go on with. */
  readonly resume?: string | undefined;
}

/** The end of a run for a person: a line per step, then the run itself. */
export function summaryText(report: RunReport, facts: SummaryFacts = {}): string {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => wholeLine(text).length));
  const widths = [
    widest(report.steps.map(stepLabel)),
    widest(report.steps.map(({ backend }) => backend)),
  ] as const;
  const blocks = report.steps.map((step, index) => stepLines(step, index, widths, facts.skipped?.get(index)));
  const { elapsedMs, reportFile, worktree, resume } = facts;
  const spent = report.steps.reduce((sum, { usage }) => add(sum, usage), nothingSpent);
  const ending = [
    `run ${report.runId}`,
    ...(elapsedMs === undefined ? [] : [duration(elapsedMs)]),
    ...(spent.tokens === 0 ? [] : [`${count(spent.tokens)} tokens`]),
    ...(spent.costUsd ? [cost(spent.costUsd)] : []),
  ];
  const lines = [
    `${wholeLine(report.chain)}: ${report.status}`,
    ...blocks.flat(),
    ending.join(' · '),
    ...(reportFile === undefined ? [] : [`report: ${reportFile}`]),
    ...(worktree === undefined ? [] : [`work: ${worktree.path}, branch ${worktree.branch}`]),
    ...(resume === undefined ? [] : [`go on: ${resume}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function stepLines(
  step: StepReport,
  index: number,
  [width, backendWidth]: readonly [number, number],
  skipped: string | undefined,
): string[] {
  const { backend, status, iterations, reason, verified, error } = step;
  const row = [
    [
      `  ${String(index + 1).padStart(2)}`,
      wholeLine(stepLabel(step)).padEnd(width),
      wholeLine(backend).padEnd(backendWidth),
      status.padEnd(10),
      [
        ...(status === 'skipped' && iterations === 0 ? [] : [iterationsInWords(iterations)]),
        ...(reason === undefined ? [] : [reason]),
        ...(verified ? ['verified'] : []),
        ...(skipped === undefined ? [] : [wholeLine(skipped)]),
      ].join(', '),
    ],
  ];
  const failure = error === undefined ? [] : failureLines(`${error.code}: ${error.message}`);
  return [
    table(row, ['left', 'left', 'left', 'left', 'left']).trimEnd(),
    ...failure.map((line) => `      ${line}`),
  ];
}

/** The first line says what happened, the last ones of a failed check why. */
function failureLines(message: string): readonly string[] {
  const lines = message
    .split('\n')
    .map(wholeLine)
    .filter((line) => line !== '');
  return lines.length <= 8 ? lines : [...lines.slice(0, 2), '…', ...lines.slice(-5)];
}
