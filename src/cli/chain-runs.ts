import { TurnoutError } from '../core/errors.js';
import { dateAndTime, usageInWords } from '../core/format.js';
import { linesOf } from '../core/quote.js';
import type { StoredRun } from '../orchestra/runs.js';
import type { RunSummary } from '../orchestra/types.js';
import { summaryText } from './chain-summary.js';
import { cutToColumns, plainLine } from './one-row.js';
import { table } from './table.js';

export function runsText(runs: readonly RunSummary[]): string {
  if (runs.length === 0) return 'No chain has been run yet.\n';
  const rows = runs.map(({ runId, chain, status, startedAt }) => [
    ...[runId, status, timeOf(startedAt), cutToColumns(plainLine(chain), 60)],
  ]);
  return table([['RUN', 'STATUS', 'STARTED (UTC)', 'CHAIN'], ...rows], ['left', 'left', 'left', 'left']);
}

/** A run for a person: the summary, then the end of what each step has said. */
export function runText(stored: StoredRun, resume: string | undefined): string {
  const { report, summary, chain, startedAt, elapsedMs, reportFile } = stored;
  const heading = `${summary.status === 'running' ? 'It is running. ' : ''}Started ${timeOf(startedAt)} (UTC) in ${plainLine(chain.cwd)}.\n`;
  const outputs = report.steps.flatMap(({ agent, output, usage, sessionId }, index) => {
    const facts = [
      ...(usage === undefined ? [] : [usageInWords(usage)]),
      ...(sessionId === undefined ? [] : [`session ${plainLine(sessionId)}`]),
    ];
    if (output === '' && facts.length === 0) return [];
    const lines = linesOf(output.trimEnd()).slice(-shownLines);
    return [
      ['', `${index + 1}. ${plainLine(agent)}${facts.length === 0 ? '' : `: ${facts.join(' · ')}`}`],
      ...(output === '' ? [] : [lines.map((line) => `   ${line}`)]),
    ].flat();
  });
  const end = summaryText(report, { elapsedMs, reportFile, resume, skipped: skippedBy(stored) });
  return `${heading}${end}${outputs.length === 0 ? '' : `${outputs.join('\n')}\n`}`;
}

/** In a run that is completed a step is skipped for one reason. */
function skippedBy({ report, chain }: StoredRun): ReadonlyMap<number, string> {
  const conditions = chain.groups.flat().flatMap(({ index, when }) => {
    const skipped = report.status === 'completed' && report.steps[index]?.status === 'skipped';
    return when === undefined || !skipped ? [] : [[index, `${when.text} did not hold`] as const];
  });
  return new Map(conditions);
}

function timeOf(iso: string): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? '?' : dateAndTime(at);
}

/** The newest run that can be resumed. */
export function newestToResume(runs: readonly RunSummary[]): RunSummary {
  const found = runs.find(({ status }) => canResume(status));
  if (found !== undefined) return found;
  throw new TurnoutError('bad_request', 'There is no run to go on with.', {
    hint: '`turnout chain runs` lists the runs.',
  });
}

export function canResume(status: RunSummary['status']): boolean {
  return status !== 'completed' && status !== 'running';
}

/** The end of an output says how it ended; the report has all of it. */
const shownLines = 20;
