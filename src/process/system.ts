import { statSync } from 'node:fs';
import { TurnoutError } from '../core/errors.js';

/**
 * Says what of this system may be used to find processes. `TURNOUT_PROCESSES` takes some of it away, so that tests on Linux
 * can go the ways of other systems: `marks` means no cgroups, `ps` no /proc either, as on macOS.
 */
export function mayUseCgroups(): boolean {
  return hasProc() && process.env[switchVariable] !== 'marks';
}

export function hasProc(): boolean {
  return process.platform === 'linux' && process.env[switchVariable] !== 'ps';
}

/** Returns the reason why no child may be started here: it could not be ended with all that it starts. */
export function unsupportedSystem(): TurnoutError | undefined {
  if (process.platform === 'win32') {
    return new TurnoutError('unsupported', 'Turnout does not run on Windows itself.', {
      hint: 'Run it in WSL 2, the Linux inside Windows, with the agent CLIs installed there.',
    });
  }
  if (process.platform === 'linux' && !procIsMounted()) {
    return new TurnoutError(
      'unsupported',
      'There is no /proc: the processes of an agent could not be found.',
      {
        hint: 'Mount it: mount -t proc proc /proc',
      },
    );
  }
  return undefined;
}

/** Says what can't be promised on this system; nothing where all can. */
export function systemWarnings(): readonly string[] {
  if (hasProc()) return [];
  return [
    "There is no /proc here: a program that an agent's tool puts into a session of its own can outlive its turn if its " +
      "environment is hidden, which macOS does for Apple's own programs (docs/security.md).",
  ];
}

function procIsMounted(): boolean {
  if (!procSeen) procSeen = statSync('/proc/self/stat', { throwIfNoEntry: false }) !== undefined;
  return procSeen;
}

let procSeen = false;
const switchVariable = 'TURNOUT_PROCESSES';
