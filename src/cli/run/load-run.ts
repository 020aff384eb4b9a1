import type { Command } from '../command/command-page.js';

/** Loads `turnout run`. In the bundle `load-compiled-run.ts` stands in its place. */
export function loadRun(): Promise<Command> {
  return import('./run.js');
}
