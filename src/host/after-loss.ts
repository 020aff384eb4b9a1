import { createBackend } from '../backends/registry.js';
import { homeDirectory } from '../config/home-directory.js';
import { endOrphans } from '../process/end-orphans.js';
import type { HostedOptions } from './messages.js';

export interface LostTurn {
  readonly prompt: string;
  readonly options: HostedOptions;
  readonly since: number;
  readonly sessionId: string | undefined;
}

/**
 * Ends what a killed host has left running, and looks whether the lost turn may have begun a tool, in the record that the CLI
 * itself keeps: the news of it may have been lost with the host. Only a turn that surely has begun none is run again.
 */
export async function mayHaveBegunTools({ prompt, options, since, sessionId }: LostTurn): Promise<boolean> {
  const { config, backend } = options;
  const cwd = options.cwd ?? config.workingDir;
  try {
    await endOrphans({ home: config.home ?? homeDirectory(config.env ?? {}) });
    const found = await createBackend(backend, config).recordedTools?.({
      sessionId: sessionId ?? options.sessionId,
      cwd,
      // The clocks of a file system may be a little behind.
      since: since - 50,
      prompt,
      clockSetBack: Date.now() < since,
    });
    return found !== undefined && (found.type !== 'tools' || found.tools.some(({ denied }) => !denied));
  } catch {
    return true;
  }
}
