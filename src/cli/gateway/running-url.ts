import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TurnoutError } from '../../core/errors.js';
import { findRunning, type RunningGateway } from '../../gateway/address-file.js';
import { pageUrl } from '../../gateway/page-url.js';
import { demoDirectory } from '../demo/demo-home.js';

export interface RunningUrl {
  readonly url: string;
  /** Says why the address comes without the token. */
  readonly missing?: string;
}

/** The address of the page of the gateway that runs on a data directory. Rejects if there is none. */
export async function runningUrl(home: string, configuredToken?: string): Promise<RunningUrl> {
  const running = await findRunningGateway(
    home,
    'The demo is: `turnout gateway --url --demo` prints its address.',
  );
  const token = running.ownToken ? await readOwnToken(home) : configuredToken?.trim();
  const url = pageUrl(running, token);
  return token === undefined
    ? { url, missing: 'Its token is the HTTP_TOKEN that it was started with.' }
    : { url };
}

/** A gateway that is just starting tells its address in a moment. */
const startMs = 10_000;

/** Rejects with `network` if there is none. `demoHint` is for whoever forgot that it is the demo's. */
export async function findRunningGateway(home: string, demoHint: string): Promise<RunningGateway> {
  const deadline = performance.now() + startMs;
  for (;;) {
    const found = await findRunning(home);
    if (found === undefined)
      throw new TurnoutError('network', `No gateway is running in ${home}.`, {
        hint: await elsewhere(home, demoHint),
      });
    if (found !== 'starting') return found;
    if (performance.now() > deadline)
      throw new TurnoutError(
        'network',
        `A gateway is at work in ${home}, but it does not tell its address.`,
        {
          hint: 'It may be stopping, or its disk may be full.',
        },
      );
    await sleep(100);
  }
}

async function elsewhere(home: string, demoHint: string): Promise<string> {
  const demo = await findRunning(join(home, demoDirectory));
  return demo === undefined
    ? 'Start it with `turnout gateway` (or `turnout demo`); another data directory is named with --home.'
    : demoHint;
}

/** The token that the gateway has made itself. */
export async function readOwnToken(home: string): Promise<string> {
  const file = join(home, 'http-token');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new TurnoutError('auth', `The token file ${file} can't be read: ${(cause as Error).message}`, {
      hint: 'Ask as the user that has started the gateway.',
      cause,
    });
  }
}
