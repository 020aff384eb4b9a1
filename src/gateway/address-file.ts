import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HttpAddress } from './channels/http/http-channel.js';
import { isHomeHeld } from './home-lock.js';

/** How a running gateway is reached. It stands in its data directory, for other programs of the same user. */
export interface RunningGateway extends HttpAddress {
  /** True if the token is the one in the data directory, and not one of the settings. */
  readonly ownToken: boolean;
}

const nameOf = (home: string) => join(home, 'gateway.address');

/** The gateway works without the file: on a full disk nobody can look up its address. */
export async function writeAddress(home: string, running: RunningGateway): Promise<void> {
  const file = nameOf(home);
  try {
    await writeFile(`${file}.new`, `${JSON.stringify(running)}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  } catch {
    await removeAddress(home);
  }
}

export async function removeAddress(home: string): Promise<void> {
  const file = nameOf(home);
  for (const path of [`${file}.new`, file]) await rm(path, { force: true }).catch(() => undefined);
}

/**
 * The gateway that runs on a data directory. `starting`: it has not said yet where it listens. A file that a killed one has left
 * counts for nothing: only the lock tells that somebody is there.
 */
export async function findRunning(home: string): Promise<RunningGateway | 'starting' | undefined> {
  if (!(await isHomeHeld(home))) return undefined;
  const text = await readFile(nameOf(home), 'utf8').catch(() => '');
  return parse(text) ?? 'starting';
}

function parse(text: string): RunningGateway | undefined {
  try {
    const { host, port, ownToken } = JSON.parse(text) as Partial<RunningGateway>;
    if (typeof host !== 'string' || typeof port !== 'number' || typeof ownToken !== 'boolean')
      return undefined;
    return { host, port, ownToken };
  } catch {
    return undefined;
  }
}
