import { exitCodes } from '../../core/exit-codes.js';
import type { RunSettings } from '../../orchestra/run-chain.js';
import type { RunReport } from '../../orchestra/types.js';
import { type EndingSignal, onEndingSignal } from '../command/ending-signals.js';
import { ProgressScreen, type Screen, screenOptions } from '../output/progress-screen.js';
import type { Terminal } from '../output/terminal.js';
import { type ChainView, chainView, type ViewOptions } from './chain-view.js';

export interface ShownRun {
  run(hooks: Pick<RunSettings, 'signal' | 'tell'>): Promise<RunReport>;
  /** The command that goes on with this run. */
  resumeWith(runId: string): string;
}

/** Runs a chain and shows it. Returns the exit code for how it ended. */
export async function showRun(
  shown: ShownRun,
  options: ViewOptions,
  terminal: Terminal,
  err: Screen = process.stderr,
): Promise<number> {
  const screen = new ProgressScreen(err, screenOptions(err, process.env));
  const view = chainView(terminal, screen, options);
  const stop = interruptible(terminal, view, screen);
  try {
    const report = await shown.run({ signal: stop.signal, tell: (event) => view.tell(event) });
    const resume = report.status === 'completed' ? undefined : shown.resumeWith(report.runId);
    await view.end(report, resume);
    await terminal.flush();
    view.clear();
    // Somebody who looks at the summary has read it there.
    const seen = options.output === 'text' && process.stdout.isTTY;
    if (report.status === 'interrupted' && !seen) view.say(`stopped. Go on with: ${resume}`);
    if (terminal.writeError !== undefined) {
      view.say(`stdout can't be written: ${terminal.writeError}`);
      return exitCodes.failed;
    }
    return exitCodeOf(report);
  } finally {
    view.clear();
    stop.release();
  }
}

function exitCodeOf({ status }: RunReport): number {
  if (status === 'completed') return exitCodes.done;
  return status === 'interrupted' ? exitCodes.interrupted : exitCodes.failed;
}

/**
 * The first signal stops the run, so that it can be resumed; the second exits at once, and the agents are killed. A reader of
 * the events that goes away stops the run, too.
 */
function interruptible(
  terminal: Terminal,
  view: ChainView,
  screen: ProgressScreen,
): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const onSignal = (name: EndingSignal) => {
    // Node takes back what `nohup` has set up, so that this program has to ignore the end of a terminal by itself.
    if (name === 'SIGHUP' && !hasTerminal()) return;
    if (controller.signal.aborted) {
      view.clear();
      process.exit(exitCodes.interrupted);
    }
    controller.abort();
    screen.redraw();
    view.say('stopping … (again to quit at once)');
  };
  terminal.onUnwritable(() => controller.abort());
  return { signal: controller.signal, release: onEndingSignal(onSignal) };
}

function hasTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}
