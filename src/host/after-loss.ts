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
 * Ends what a killed host has left running, and looks whether the lost turn had begun a tool, in the record that the CLI itself
 * keeps: the news of it may have been lost with the host. A turn whose tools have begun is not run again.
 */
export async function hadBegunTools({ prompt, options, since, sessionId }: LostTurn): Promise<boolean> {
  const { config, backend } = options;
  await endOrphans({ home: config.home ?? homeDirectory(config.env ?? {}) }).catch(() => undefined);
  const cwd = options.cwd ?? config.workingDir;
  const found = await createBackend(backend, config)
    .recordedTools?.({
      sessionId: sessionId ?? options.sessionId,
      cwd,
      // The clocks of a file system may be a little behind.
      since: since - 50,
      prompt,
      clockSetBack: Date.now() < since,
    })
    .catch(() => undefined);
  // A record that does not tell is no sign of a tool.
  return found?.type === 'tools' && found.tools.some(({ denied }) => !denied);
}
