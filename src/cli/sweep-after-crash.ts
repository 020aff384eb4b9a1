import { sweepScratchFiles } from '../backends/launch/scratch-files.js';
import { endOrphans } from '../process/end-orphans.js';

/** Ends the agents that a killed Turnout left running, and removes their files. */
export async function sweepAfterCrash({ home }: { readonly home: string }): Promise<void> {
  const swept = sweepScratchFiles({ TURNOUT_HOME: home });
  await Promise.all([endOrphans({ home, quick: true }), swept]).catch(() => undefined);
}

/**
 * The same beside a turn, a moment after it was begun: what was left can wait until this turn's CLI starts, which takes the CLI
 * long enough. The returned function waits for it, and begins it if the turn was shorter than that moment.
 */
export function sweepBeside(config: { readonly home: string }): () => Promise<void> {
  let swept: Promise<void> | undefined;
  const begin = () => {
    swept ??= sweepAfterCrash(config);
    return swept;
  };
  const timer = setTimeout(begin, whileCliStartsMs).unref();
  return () => {
    clearTimeout(timer);
    return begin();
  };
}

const whileCliStartsMs = 40;
