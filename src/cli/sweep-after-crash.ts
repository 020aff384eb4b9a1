import { sweepScratchFiles } from '../backends/launch/scratch-files.js';
import { endOrphans } from '../process/end-orphans.js';

/** Ends the agents that a killed Turnout left running, and removes their files. */
export async function sweepAfterCrash({ home }: { readonly home: string }): Promise<void> {
  const swept = sweepScratchFiles({ TURNOUT_HOME: home });
  await Promise.all([endOrphans({ home }), swept]).catch(() => undefined);
}
