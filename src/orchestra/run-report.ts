import type { ErrorCode } from '../core/chat-event.js';
import { dateAndTime, duration, usageInWords } from '../core/format.js';
import { code, oneLine, visibleLines } from '../core/text.js';
import { quoteWord } from '../runner/describe-command.js';
import type { StoredRun } from './runs.js';
import { addUsage } from './spending.js';
import type { ResolvedStep, StepReport } from './types.js';
import { fillVariables } from './variables.js';

/** The report of a run in Markdown, for the morning after. What models have said can't break the page. */
export function markdownReport(stored: StoredRun): string {
  const { report, chain } = stored;
  const steps = chain.groups.flat();
  const blocks = [
    `# ${inText(chain.name)}: ${stored.summary.status}`,
    facts(stored),
    stepTable(report.steps),
    ...goingOn(stored),
    ...report.steps.map((step, index) => section(step, steps[index], stored, index)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function facts({ report, summary, chain, startedAt, endedAt, elapsedMs, worktree }: StoredRun): string {
  const usage = report.steps.map((step) => step.usage).reduce(addUsage, undefined);
  const variables = Object.entries(chain.variables);
  const end = endedAt === undefined ? '' : `, ended ${atTime(endedAt)}`;
  return [
    `- run ${code(summary.runId)}, started ${atTime(startedAt)}${end} (UTC), ${duration(elapsedMs)} at work`,
    `- in ${code(chain.cwd, 500)}${chain.file === undefined ? '' : `, from ${code(chain.file, 500)}`}`,
    ...(worktree === undefined
      ? []
      : [`- git worktree ${code(worktree.path, 500)}, branch ${code(worktree.branch)}`]),
    ...variables.map(([name, value]) => `- with ${code(`${name}=${value}`)}`),
    ...(usage === undefined ? [] : [`- ${usageInWords(usage)}`]),
    ...chain.warnings.map((warning) => `- warning: ${inText(warning, 500)}`),
  ].join('\n');
}

function stepTable(steps: readonly StepReport[]): string {
  const rows = steps.map((step, index) => {
    const { agent, backend, status, iterations, reason, verified, usage } = step;
    const check = verified === undefined ? '' : verified ? 'passed' : 'failed';
    const ours = [status, iterations, reason ?? '', check, usage === undefined ? '' : usageInWords(usage)];
    return [index + 1, inText(agent), inText(backend), ...ours].join(' | ');
  });
  return [
    '| # | agent | backend | status | iterations | reason | verify | use |',
    '| ---: | --- | --- | --- | ---: | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

function goingOn({ summary, worktree }: StoredRun): readonly string[] {
  const { status, runId } = summary;
  if (status === 'running') return ['It is still running.'];
  if (status !== 'completed') return [`Go on with it: ${code(`turnout chain resume ${runId}`)}`];
  if (worktree === undefined) return [];
  return [`The work is on the branch ${code(worktree.branch)}: ${code(`git merge ${worktree.branch}`)}`];
}

function section(
  report: StepReport,
  step: ResolvedStep | undefined,
  stored: StoredRun,
  index: number,
): string {
  const { agent, backend, status, reason, output, error, sessionId } = report;
  const check = stored.checks.get(step?.index ?? index);
  const prompt =
    status === 'skipped' || step?.prompt === undefined
      ? undefined
      : fillVariables(step.prompt, stored.chain.variables);
  const place = `--cwd ${quoteWord(stored.chain.cwd)} --resume ${quoteWord(sessionId ?? '')}`;
  const goOn = `turnout run --backend ${backend} ${place}`;
  return [
    `## ${index + 1}. ${inText(agent)}: ${status}${reason === undefined ? '' : ` (${reason})`}`,
    ...(error === undefined ? [] : [`**${error.code}**`, fenced(error.message), whatToDo(error.code)]),
    ...(step?.when === undefined ? [] : [`When: ${code(step.when.text, 500)}`]),
    ...(prompt === undefined ? [] : ['Prompt:', fenced(shortened(prompt, mostPrompt))]),
    ...block(shortened(output, mostOutput), 'Output:'),
    ...(step?.verify === undefined ? [] : [`Verify: ${code(step.verify, 500)}`]),
    ...(check === undefined
      ? []
      : [
          `It ${check.passed ? 'passed' : 'failed'} after iteration ${check.iteration}.`,
          ...block(check.output),
        ]),
    ...(sessionId === undefined || step?.run.type !== 'agent' || step.run.backend === 'codex-sdk'
      ? []
      : [`Go on in its last session: ${code(goOn, 1000)}`]),
  ].join('\n\n');
}

/** What a person can do about a failure; the message may have more. */
function whatToDo(error: ErrorCode): string {
  switch (error) {
    case 'auth':
      return 'Sign in with the CLI itself, or set its key, then resume.';
    case 'not_installed':
      return 'Install the CLI (`turnout doctor` says how), then resume.';
    case 'rate_limit':
    case 'overloaded':
    case 'network':
      return 'This passes: resume later, or give the step `"retry"`.';
    case 'unsupported':
      return 'Choose another backend for the step, or leave the option out.';
    case 'interrupted':
      return 'Resume when you like.';
    default:
      return 'Resume to try again; `--verbose` shows what the agent does.';
  }
}

function block(text: string, heading?: string): readonly string[] {
  if (text.trim() === '') return [];
  return [...(heading === undefined ? [] : [heading]), fenced(text)];
}

/** A block of code that nothing in the text can end: its fence is longer than any in the text. */
function fenced(text: string): string {
  const lines = visibleLines(text.trimEnd());
  const longest = Math.max(
    0,
    ...lines.flatMap((line) => Array.from(line.matchAll(/`+/g), ([run]) => run.length)),
  );
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return [`${fence}text`, ...lines, fence].join('\n');
}

/** The beginning and the end of a long text. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n… (${left} characters left out)\n${text.slice(-half)}`;
}

/** Text of others in a line of ours: nothing in it is Markdown or HTML. */
function inText(text: string, most = 120): string {
  return oneLine(text, most).replaceAll(/[\\`*_{}[\]<>#|!&~]/g, '\\$&');
}

function atTime(iso: string): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? '?' : dateAndTime(at);
}

const mostPrompt = 4000;
const mostOutput = 20_000;
