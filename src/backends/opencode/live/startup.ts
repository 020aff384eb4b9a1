import { TurnoutError } from '../../../core/errors.js';
import { late, within } from '../../../core/wait.js';
import type { ProcessExit, RunningProcess } from '../../../process/start-process.js';
import type { LiveContext } from '../../live/types.js';
import { describeDeath } from '../../output/describe-death.js';
import { withoutNoise } from '../../output/stderr.js';

/** Reads a server's stdout for as long as it lives, and finds the line with its address. */
export class StartupLines {
  readonly #child: RunningProcess;
  readonly #trace: LiveContext['trace'];
  readonly #printed: string[] = [];
  readonly #address: Promise<string>;

  constructor(child: RunningProcess, trace: LiveContext['trace']) {
    this.#child = child;
    this.#trace = trace;
    this.#address = new Promise((resolve) => void this.#read(resolve));
  }

  async address(): Promise<string> {
    const first = await within<string | ProcessExit>(startMs, this.#address, this.#child.exited);
    if (typeof first === 'string') return first;
    if (first !== late) throw exitError(this.#child, first, this.#printed.join('\n'));
    throw new TurnoutError('timeout', `OpenCode did not start its server within ${startMs} ms.`, {
      hint: 'The first run in a new home takes longest; try again.',
    });
  }

  async #read(found: (address: string) => void): Promise<void> {
    for await (const lines of this.#child.lines()) {
      for (const { text: line } of lines) {
        this.#trace?.({ type: 'line', direction: 'in', line, events: [] });
        const address = /listening on (http:\/\/\S+)/.exec(line)?.[1];
        if (address !== undefined) found(address);
        if (this.#printed.length < 20) this.#printed.push(line);
      }
    }
  }
}

/** The error of a server that has exited, with its last words. */
export function exitError(child: RunningProcess, exit: ProcessExit, printed = ''): TurnoutError {
  const words = withoutNoise(child.stderr(), []).trim() || printed.trim();
  return new TurnoutError('crashed', describeDeath('OpenCode', exit, words));
}

export const startMs = 60_000;
