import { printJson } from '../../core/json.js';
import type { ChainEvent, RunReport } from '../../orchestra/types.js';
import type { ProgressScreen } from '../output/progress-screen.js';
import type { Terminal } from '../output/terminal.js';
import { liveLine } from './chain-live-line.js';
import type { ChainOutput } from './chain-options.js';
import { shownCommand } from './chain-plan.js';
import { advance, beginProgress, type Progress } from './chain-progress.js';
import { type SummaryFacts, summaryText } from './chain-summary.js';

/** Shows a run while it goes on, and its result. */
export interface ChainView {
  /** A promise is settled when the reader has taken the event. */
  tell(event: ChainEvent): void | Promise<void>;
  /** Says something of the program's own. */
  say(text: string): void;
  /** Takes the live line away. */
  clear(): void;
  end(report: RunReport, resume: string | undefined): Promise<void>;
}

export interface ViewOptions {
  readonly output: ChainOutput;
  readonly verbose: boolean;
  /** The exact commands of the steps, for `--verbose`. */
  readonly commands: readonly string[];
  readonly now?: () => number;
}

export function chainView(terminal: Terminal, screen: ProgressScreen, options: ViewOptions): ChainView {
  return options.output === 'stream-json'
    ? streamView(terminal, screen)
    : progressView(terminal, screen, options);
}

/** Prints every event as a line on stdout; stderr has only what is of the program's own. */
function streamView(terminal: Terminal, screen: ProgressScreen): ChainView {
  return {
    tell: async (event) => {
      await terminal.write(`${printJson(event)}\n`);
    },
    say: (text) => screen.print(`turnout: ${text}`),
    clear: () => undefined,
    end: async () => undefined,
  };
}

/** Shows the progress on stderr and leaves stdout to the summary or the report. */
function progressView(terminal: Terminal, screen: ProgressScreen, options: ViewOptions): ChainView {
  const { output, verbose, commands, now = Date.now } = options;
  const skipped = new Map<number, string>();
  let progress: Progress = beginProgress(now());
  let facts: Pick<SummaryFacts, 'elapsedMs' | 'reportFile' | 'worktree'> | undefined;
  let drawing: NodeJS.Timeout | undefined;
  const draw = () => {
    clearTimeout(drawing);
    screen.show(liveLine(progress, now(), screen.columns));
    drawing = setTimeout(draw, secondMs).unref();
  };
  let over = false;
  const stop = () => {
    over = true;
    clearTimeout(drawing);
    screen.clear();
  };
  let drawSoon = false;
  const print: ProgressScreen['print'] = (text, tone) =>
    screen.print(screen.live ? text : `${clock(now())} ${text}`, tone);

  return {
    tell(event) {
      const [next, lines] = advance(progress, event, now());
      progress = next;
      if (event.type === 'step_skipped') skipped.set(event.step, event.why);
      if (event.type === 'run_end') facts = event;
      for (const { kind, tone, text } of lines) {
        // In a terminal the live line shows what has begun.
        if (kind === 'detail' ? verbose : kind !== 'start' || verbose || !screen.live) print(text, tone);
      }
      const command = event.type === 'step_start' && verbose ? commands[event.step] : undefined;
      if (command !== undefined) print(shownCommand(command), 'quiet');
      if (event.type === 'run_end') stop();
      else if (screen.live && !drawSoon && !over) {
        drawSoon = true;
        // A model prints faster than anybody reads.
        setTimeout(() => {
          drawSoon = false;
          if (!over) draw();
        }, drawEveryMs).unref();
      }
    },
    say(text) {
      screen.print(`turnout: ${text}`);
    },
    clear: stop,
    async end(report, resume) {
      stop();
      const ending = { ...facts, skipped, resume };
      await terminal.write(output === 'json' ? `${printJson(report)}\n` : summaryText(report, ending));
    },
  };
}

/** The time of day here: a log that is read in the morning is compared with the clock on the wall. */
function clock(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

const secondMs = 1000;
const drawEveryMs = 80;
