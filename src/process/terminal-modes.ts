import { spawnSync } from 'node:child_process';
import { existsSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { inForeground } from './job-control.js';

/** The modes of this process's terminal, to be put back after a program that changed them. */
export interface TerminalModes {
  /**
   * Puts them back if they have changed, or if a signal has ended the program. Then it can't have left its own screen
   * either, so that is done as well. Does nothing in the background, where it would stop this process.
   */
  restore(endedBySignal: boolean): void;
}

export function saveTerminalModes(): TerminalModes {
  const before = stty('-g');
  return {
    restore(endedBySignal) {
      if (before === undefined || !inForeground()) return;
      if (!endedBySignal && stty('-g') === before) return;
      stty(before);
      if (isatty(1)) writeNow(leaveScreen);
    },
  };
}

/**
 * Undoes what the UIs of the four CLIs turn on. The alternate screen is left with 1047: 1049 would also move the cursor to
 * where a UI that never entered it has not saved one.
 */
const leaveScreen = [
  '\u001b[?2026l', // output is shown as it comes
  '\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l', // mouse
  '\u001b[?1004l\u001b[?2004l\u001b[?2031l', // focus, marked pastes, change of colours
  '\u001b[<u\u001b[>4m\u001b[?1l\u001b>', // keyboard protocols, cursor keys, keypad
  '\u001b[?1047l',
  '\u001b7\u001b[r\u001b8', // the whole screen scrolls
  '\u001b[0m\u001b[0 q\u001b[?7h\u001b[?25h', // colours, cursor
  '\r\n',
].join('');

function writeNow(text: string): void {
  try {
    writeSync(1, text);
  } catch {
    // The terminal is gone.
  }
}

/** POSIX: `-g` prints the modes in a form that stty takes as its argument. Undefined if there is no terminal. */
function stty(argument: string): string | undefined {
  const program = ['/usr/bin/stty', '/bin/stty'].find((path) => existsSync(path));
  if (program === undefined || !isatty(0)) return undefined;
  const { status, stdout } = spawnSync(program, [argument], {
    stdio: [0, 'pipe', 'ignore'],
    env: {},
    encoding: 'utf8',
    timeout: 2000,
  });
  return status === 0 ? stdout.trim() : undefined;
}
