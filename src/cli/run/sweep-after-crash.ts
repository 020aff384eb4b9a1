import { sweepScratchFiles } from '../../backends/launch/scratch-files.js';
import { endOrphans } from '../../process/end-orphans.js';

/** Ends the agents that a killed Turnout left running, and removes their files. */
export async function sweepAfterCrash({ home }: { readonly home: string }): Promise<void> {
  const swept = sweepScratchFiles({ TURNOUT_HOME: home });
  await Promise.all([endOrphans({ home, quick: true }), swept]).catch(() => undefined);
}

export interface Sweep {
  /** Begins it when what is done now is done. */
  begin(): void;
  /** Waits for it, and begins it if nobody has. */
  end(): Promise<void>;
}

/** The host of a warm turn has swept; a turn that it can't run sweeps for itself. */
export const noSweep: Sweep = { begin: () => undefined, end: async () => undefined };

/** The same beside a turn: what was left can wait until the CLI of this one has been started, and takes its time to start. */
export function sweepBeside(config: { readonly home: string }): Sweep {
  let swept: Promise<void> | undefined;
  const begin = () => {
    swept ??= sweepAfterCrash(config);
    return swept;
  };
  return {
    begin: () => void setImmediate(begin),
    end: begin,
  };
}
