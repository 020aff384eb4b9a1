import type { ChatEvent, Usage } from '../../core/chat-event.js';
import { duration } from '../../core/format.js';
import { printJson } from '../../core/json.js';
import { proseLine } from '../../core/text.js';
import type { ChainEvent, StepReport } from '../../orchestra/types.js';
import { compactUsage, iterationsInWords, stepLabel, tokensOf } from './chain-words.js';

/** What is known of a run while it goes on. */
export interface Progress {
  readonly steps: number;
  readonly startedAt: number;
  /** The steps that have been begun, by their number from 0. */
  readonly begun: ReadonlyMap<number, StepProgress>;
  /** The step that something was heard of last. */
  readonly latest: number | undefined;
  /** The use of all runs of agents that have ended. */
  readonly spent: Spent;
}

export interface StepProgress {
  readonly agent: string;
  readonly backend: string;
  readonly iterations: number;
  readonly loop: boolean;
  readonly startedAt: number;
  readonly iteration: number;
  readonly ended: boolean;
  /** The use of the run of the agent that goes on. */
  readonly usage: Usage | undefined;
  /** The use of the step's runs that have ended. */
  readonly spent: Spent;
  /** The end of what the agent says, from its last line end on. */
  readonly saying: string;
  /** The last line that has something in it. */
  readonly said: string;
  /** The failure that was told last. */
  readonly failure: string | undefined;
  /** What happens in place of talking: a tool, `verify`, a wait. */
  readonly doing: Doing | undefined;
}

export interface Doing {
  readonly what: string;
  /** The end of a wait. */
  readonly until?: number;
}

export interface Spent {
  readonly tokens: number;
  readonly costUsd: number | undefined;
}

/** A line that stays. `start` is left out where a live line shows it anyway; `detail` is for `--verbose` only. */
export interface ProgressLine {
  readonly kind: 'head' | 'start' | 'end' | 'detail';
  readonly tone: 'plain' | 'good' | 'bad' | 'warning' | 'quiet';
  readonly text: string;
}

export const nothingSpent: Spent = { tokens: 0, costUsd: undefined };

export function beginProgress(now: number): Progress {
  return { steps: 0, startedAt: now, begun: new Map(), latest: undefined, spent: nothingSpent };
}

/** One step of the view: the next state, and the lines that this event is worth. */
export function advance(
  before: Progress,
  event: ChainEvent,
  now: number,
): readonly [Progress, readonly ProgressLine[]] {
  const label = 'step' in event && event.step !== undefined ? labelOf(before, event) : '';
  switch (event.type) {
    case 'run_start': {
      const steps = `${event.steps} ${event.steps === 1 ? 'step' : 'steps'}`;
      const resumed = event.resumed ? ', resumed' : '';
      return [
        { ...before, steps: event.steps },
        [line('head', 'plain', `run ${event.runId}: ${event.chain}, ${steps}${resumed}`)],
      ];
    }
    case 'step_start': {
      const { backend, iterations, loop } = event;
      const agent = stepLabel(event);
      const step: StepProgress = {
        ...{ agent, backend, iterations, loop, startedAt: now, iteration: 0, ended: false },
        ...{
          usage: undefined,
          spent: nothingSpent,
          saying: '',
          said: '',
          failure: undefined,
          doing: undefined,
        },
      };
      const count = loop ? `, up to ${iterationsInWords(iterations)}` : '';
      return [
        put(before, event.step, step),
        [line('start', 'plain', `${label} (${backend}) begins${count}`)],
      ];
    }
    case 'step_skipped':
      return [before, [line('end', 'quiet', `${label}: skipped: ${event.why}`)]];
    case 'iteration_start': {
      const step = before.begun.get(event.step);
      if (step === undefined) return [before, []];
      const next = { ...step, iteration: event.iteration, usage: undefined, saying: '', doing: undefined };
      const again = event.attempt > 1 ? `, attempt ${event.attempt}` : '';
      const lines = step.loop || event.attempt > 1;
      const text = `${label} ${event.iteration}/${step.iterations} begins${again}`;
      return [put(before, event.step, next), lines ? [line('start', 'quiet', text)] : []];
    }
    case 'agent_event':
      return hear(before, event.step, event.event, label);
    case 'iteration_end':
      return endIteration(before, event, label);
    case 'verify_start':
      return [
        doing(before, event.step, { what: `verify: ${event.command}` }),
        [line('start', 'quiet', `${label}: verify: ${event.command}`)],
      ];
    case 'verify_end': {
      const last = event.output.trimEnd().split('\n').at(-1) ?? '';
      const text = event.passed ? 'verified' : `verify failed${last === '' ? '' : `: ${last}`}`;
      const kept = line('end', event.passed ? 'good' : 'warning', `${label}: ${text}`);
      return [doing(before, event.step, undefined), [kept]];
    }
    case 'waiting': {
      const until = now + event.ms;
      const text = `${label}: waits ${duration(event.ms)}: ${event.why}`;
      return [
        doing(before, event.step, { what: `waits: ${event.why}`, until }),
        [line('end', 'warning', text)],
      ];
    }
    case 'warning': {
      const where = event.step === undefined ? '' : `${label}: `;
      return [before, [line('end', 'warning', `${where}warning: ${event.message}`)]];
    }
    case 'step_end': {
      const step = before.begun.get(event.step);
      const text = `${label}: ${stepEnding(event.report, step, now)}`;
      const next = step === undefined ? before : put(before, event.step, { ...step, ended: true });
      return [next, [line('end', toneOf(event.report), text)]];
    }
    case 'run_end':
      return [before, []];
  }
}

/** What the agent says and does: the last line for the live view, every line for `--verbose`. */
function hear(
  before: Progress,
  number: number,
  event: ChatEvent,
  label: string,
): readonly [Progress, readonly ProgressLine[]] {
  const step = before.begun.get(number);
  if (step === undefined) return [before, []];
  const detail = (text: string) => line('detail', 'quiet', `${label} | ${text}`);
  switch (event.type) {
    case 'text': {
      const lines = (step.saying + event.text).split('\n');
      const rest = lines.pop() ?? '';
      const whole = lines.map(proseLine).filter((text) => text !== '');
      const said = proseLine(rest) || whole.at(-1) || step.said;
      const next = { ...step, saying: rest.slice(-longestLine), said, doing: undefined };
      return [put(before, number, next), whole.map(detail)];
    }
    case 'tool_start': {
      const what = `[${event.name}] ${shortInput(event.input)}`;
      const next = { ...step, saying: '', doing: { what } };
      const unfinished = proseLine(step.saying);
      return [put(before, number, next), [...(unfinished === '' ? [] : [unfinished]), what].map(detail)];
    }
    case 'tool_end':
      return [doing(before, number, undefined), event.isError ? [detail(`failed: ${event.output}`)] : []];
    case 'usage':
      return [put(before, number, { ...step, usage: event }), []];
    case 'notice':
      return [before, event.level === 'warning' ? [detail(event.message)] : []];
    case 'complete':
    case 'error': {
      const unfinished = proseLine(step.saying);
      return [
        put(before, number, { ...step, saying: '', doing: undefined }),
        unfinished === '' ? [] : [detail(unfinished)],
      ];
    }
    default:
      return [before, []];
  }
}

function endIteration(
  before: Progress,
  event: Extract<ChainEvent, { type: 'iteration_end' }>,
  label: string,
): readonly [Progress, readonly ProgressLine[]] {
  const step = before.begun.get(event.step);
  if (step === undefined) return [before, []];
  const usage = event.usage ?? step.usage;
  const next = {
    ...{ ...step, usage: undefined, spent: add(step.spent, usage), saying: '', doing: undefined },
    failure: event.error?.message,
  };
  const after = { ...put(before, event.step, next), spent: add(before.spent, usage) };
  const facts = [duration(event.elapsedMs), ...compactUsage(add(nothingSpent, usage))].join(' · ');
  const place = step.loop ? ` ${event.iteration}/${step.iterations}` : '';
  const { error } = event;
  // What was stopped is told with the end of its step.
  if (error?.code === 'interrupted') return [after, []];
  if (error !== undefined) {
    const failure = `${label}${place}: failed: ${error.code}: ${shortened(error.message)}`;
    return [after, [line('end', 'bad', `${failure} · ${facts}`)]];
  }
  // The end of a step that runs once is told as the end of the step.
  if (!step.loop) return [after, []];
  const text = event.marker ? 'says that it is done' : 'not done yet';
  return [after, [line('end', 'plain', `${label}${place}: ${text} · ${facts}`)]];
}

function stepEnding(report: StepReport, step: StepProgress | undefined, now: number): string {
  const { status, reason, iterations, verified, error } = report;
  const why = reason === undefined ? '' : ` (${reason})`;
  const words = [`${status}${why}`, iterationsInWords(iterations), ...(verified ? ['verified'] : [])];
  const facts = step === undefined ? [] : [duration(now - step.startedAt), ...compactUsage(step.spent)];
  // The failure of the last run has a line of its own already.
  const isTold = error === undefined || error.message === step?.failure;
  const failure = isTold ? [] : [`${error.code}: ${shortened(error.message)}`];
  return [words.join(', '), ...facts, ...failure].join(' · ');
}

function toneOf({ status }: StepReport): ProgressLine['tone'] {
  if (status === 'done') return 'good';
  return status === 'skipped' ? 'quiet' : 'bad';
}

/** `[2/5] builder`; the number of steps is not known if the run's first event was missed. */
function labelOf(
  { begun, steps }: Progress,
  event: { step?: number; agent?: string; name?: string },
): string {
  const { step = 0, agent: named } = event;
  const agent = named === undefined ? begun.get(step)?.agent : stepLabel({ ...event, agent: named });
  return `[${step + 1}/${Math.max(steps, step + 1)}]${agent === undefined ? '' : ` ${agent}`}`;
}

function put(before: Progress, number: number, step: StepProgress): Progress {
  return { ...before, begun: new Map(before.begun).set(number, step), latest: number };
}

function doing(before: Progress, number: number, what: Doing | undefined): Progress {
  const step = before.begun.get(number);
  return step === undefined ? before : put(before, number, { ...step, doing: what });
}

export function add(spent: Spent, usage: Usage | undefined): Spent {
  if (usage === undefined) return spent;
  const costUsd = usage.costUsd === undefined ? spent.costUsd : (spent.costUsd ?? 0) + usage.costUsd;
  return { tokens: spent.tokens + tokensOf(usage), costUsd };
}

function line(kind: ProgressLine['kind'], tone: ProgressLine['tone'], text: string): ProgressLine {
  return { kind, tone, text: proseLine(text.slice(0, longestLine)) };
}

/** An error can end with pages of output; the report has all of it. */
function shortened(message: string): string {
  const text = proseLine(message.slice(0, longestLine));
  return text.length <= 300 ? text : `${text.slice(0, 299)}…`;
}

function shortInput(input: unknown): string {
  return proseLine(printJson(input).slice(0, 300));
}

const longestLine = 2000;
