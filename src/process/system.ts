import { statSync } from 'node:fs';
import { TurnoutError } from '../core/errors.js';

/**
 * Says what of this system may be used to find processes. `TURNOUT_PROCESSES` takes some of it away, so that tests on Linux
 * can go the ways of other systems: `marks` means no cgroups, `ps` no /proc either, as on macOS.
 */
export function mayUseCgroups(): boolean {
  return process.platform === 'linux' && process.env[switchVariable] === undefined;
}

export function hasProc(): boolean {
  return process.platform === 'linux' && process.env[switchVariable] !== 'ps';
}

/** Throws where no child can be ended with all that it has started. */
export function refuseUnsupportedSystem(): void {
  if (process.platform === 'win32') {
    throw new TurnoutError('not_installed', 'Turnout does not run on Windows itself.', {
      hint: 'Run it inside WSL 2 (https://learn.microsoft.com/windows/wsl), with the agent CLIs installed there.',
    });
  }
  if (process.platform === 'linux' && !procIsMounted()) {
    throw new TurnoutError(
      'not_installed',
      'There is no /proc here, so no process could be found to end it.',
      {
        hint: 'Mount it: mount -t proc proc /proc',
      },
    );
  }
}

function procIsMounted(): boolean {
  if (!procSeen) procSeen = statSync('/proc/self/stat', { throwIfNoEntry: false }) !== undefined;
  return procSeen;
}

let procSeen = false;
const switchVariable = 'TURNOUT_PROCESSES';
