import { TurnoutError } from '../../core/errors.js';
import { dateAndTime, usageInWords } from '../../core/format.js';
import { shownId, visibleLines, wholeLine } from '../../core/text.js';
import { cutToColumns } from '../../core/width.js';
import type { StoredRun } from '../../orchestra/runs.js';
import type { RunSummary } from '../../orchestra/types.js';
import { table } from '../output/table.js';
import { summaryText } from './chain-summary.js';
import { stepLabel } from './chain-words.js';

/** Where runs were looked for, and how many a demo has elsewhere. */
export interface LookedIn {
  readonly home: string;
  readonly demoRuns: number;
}

export function runsText(runs: readonly RunSummary[], { home, demoRuns }: LookedIn): string {
  if (runs.length === 0) {
    const demo = demoRuns === 0 ? '' : ` With --demo there ${demoRuns === 1 ? 'is 1' : `are ${demoRuns}`}.`;
    return `No chain has been run yet: there is none in ${wholeLine(home)}.${demo}\n`;
  }
  const rows = runs.map(({ runId, chain, status, startedAt, cwd }) => [
    ...[runId, status, timeOf(startedAt), cutToColumns(wholeLine(chain), 40), wholeLine(cwd)],
  ]);
  const head = ['RUN', 'STATUS', 'STARTED (UTC)', 'CHAIN', 'DIRECTORY'];
  return table([head, ...rows], ['left', 'left', 'left', 'left', 'left']);
}

/** A run for a person: the summary, then the end of what each step has said. */
export function runText(stored: StoredRun, resume: string | undefined): string {
  const { report, summary, chain, startedAt, elapsedMs, reportFile, worktree } = stored;
  const heading = `${summary.status === 'running' ? 'It is running. ' : ''}Started ${timeOf(startedAt)} (UTC) in ${wholeLine(chain.cwd)}.\n`;
  const outputs = report.steps.flatMap((step, index) => {
    const { output, usage, sessionId } = step;
    const facts = [
      ...(usage === undefined ? [] : [usageInWords(usage)]),
      ...(sessionId === undefined ? [] : [`session ${shownId(sessionId)}`]),
    ];
    if (output === '' && facts.length === 0) return [];
    const lines = visibleLines(output.trimEnd()).slice(-shownLines);
    return [
      [
        '',
        `${index + 1}. ${wholeLine(stepLabel(step))}${facts.length === 0 ? '' : `: ${facts.join(' · ')}`}`,
      ],
      ...(output === '' ? [] : [lines.map((line) => `   ${line}`)]),
    ].flat();
  });
  const written = summary.status === 'running' ? undefined : reportFile;
  const facts = { elapsedMs, reportFile: written, worktree, resume, skipped: skippedBy(stored) };
  const end = summaryText(report, facts);
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

/** The newest run of this directory that can be resumed: another project's is not meant by nobody naming it. */
export function newestToResume(runs: readonly RunSummary[], cwd: string): RunSummary {
  const found = runs.find((run) => run.cwd === cwd && canResume(run.status));
  if (found !== undefined) return found;
  throw new TurnoutError('bad_request', `There is no run in ${cwd} to go on with.`, {
    hint: '`turnout chain runs` lists the runs.',
  });
}

export function canResume(status: RunSummary['status']): boolean {
  return status !== 'completed' && status !== 'running';
}

/** The end of an output says how it ended; the report has all of it. */
const shownLines = 20;
