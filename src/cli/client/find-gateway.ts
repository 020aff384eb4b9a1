import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { otherOwner } from '../../config/file-owner.js';
import { isToken, tokenExpected } from '../../config/formats.js';
import { type Environment, given, trustedHome } from '../../config/home-directory.js';
import { readSecrets } from '../../config/secrets.js';
import { TurnoutError } from '../../core/errors.js';
import { pageUrl } from '../../gateway/page-url.js';
import { demoHome } from '../demo/demo-home.js';
import { findRunningGateway, readOwnToken } from '../gateway/running-url.js';

/** Where a gateway is, and what lets somebody in. */
export interface GatewayAddress {
  /** Without a slash at the end. */
  readonly base: string;
  readonly token: string;
}

/** Finds the gateway anew for each connection: after a restart it may have another port. */
export type Locate = () => Promise<GatewayAddress>;

export interface GatewayChoice {
  /** The address of a gateway anywhere, perhaps with `#token=…` as `turnout gateway --url` prints it. */
  readonly url?: string | undefined;
  /** True for the demo's. */
  readonly demo?: boolean | undefined;
  /** An absolute path. */
  readonly home?: string | undefined;
}

export interface Chosen {
  readonly locate: Locate;
  /** The data directory; undefined for one that is named by its address. */
  readonly home?: string | undefined;
}

/** Throws `bad_request` if the choice makes no sense. */
export function chooseGateway(choice: GatewayChoice, environment: Environment): Chosen {
  if (choice.url !== undefined) {
    const address = readUrl(choice.url, environment);
    return { locate: async () => address };
  }
  const named = choice.home === undefined ? environment : { ...environment, TURNOUT_HOME: choice.home };
  const home = choice.demo ? demoHome(named) : trustedHome(named);
  return { home, locate: rememberedFor(rememberMs, () => findIn(home, named)) };
}

/** The look at the lock takes a tenth of a second. Longer than this, another program may have the port of a gateway that died. */
const rememberMs = 1000;

function rememberedFor(ms: number, find: Locate): Locate {
  let found: { readonly address: Promise<GatewayAddress>; readonly at: number } | undefined;
  return () => {
    const now = performance.now();
    if (found !== undefined && now - found.at < ms) return found.address;
    const address = find();
    found = { address, at: now };
    // What was not found is looked for again.
    address.catch(() => {
      found = undefined;
    });
    return address;
  };
}

async function findIn(home: string, environment: Environment): Promise<GatewayAddress> {
  refuseUnreadable(home);
  const running = await findRunningGateway(home, 'The demo is: add --demo.');
  const base = pageUrl(running).replace(/\/$/, '');
  if (running.ownToken) return { base, token: await readOwnToken(home) };
  const { readEnvironment } = await import('../../config/read-environment.js');
  const { settings } = await readEnvironment({ environment: { ...environment, TURNOUT_HOME: home } });
  const token = readSecrets(settings).values.HTTP_TOKEN?.trim();
  if (token !== undefined) return { base, token };
  throw new TurnoutError('auth', `The gateway in ${home} was started with a token of its own (HTTP_TOKEN).`, {
    hint: 'Set the same HTTP_TOKEN, or HTTP_TOKEN_FILE, here, or write it into .env of TURNOUT_HOME.',
  });
}

/** The lock tells whether a gateway runs, and only its own user may look at it. */
function refuseUnreadable(home: string): void {
  try {
    accessSync(home, constants.R_OK | constants.X_OK);
    accessSync(join(home, 'gateway.lock'), constants.R_OK | constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // One that is not there has no gateway, which is said elsewhere.
    if (code !== 'EACCES' && code !== 'EPERM') return;
    const owner = otherOwner(home) ?? otherOwner(join(home, 'gateway.lock')) ?? 'somebody else';
    throw new TurnoutError('network', `${home} belongs to ${owner}: this user can't look into it.`, {
      hint: `Ask as ${owner}, or name the gateway with --url and set HTTP_TOKEN.`,
      cause,
    });
  }
}

/** The token in TURNOUT_HOME is for the gateway there alone: another address gets only what was meant for it. */
function readUrl(written: string, environment: Environment): GatewayAddress {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new TurnoutError(
      'bad_request',
      `--url expects an address like http://127.0.0.1:8420, got ${JSON.stringify(written)}`,
    );
  const inFragment = new URLSearchParams(url.hash.slice(1)).get('token') ?? undefined;
  const token = given(inFragment) ?? readSecrets(environment).values.HTTP_TOKEN?.trim();
  if (token === undefined)
    throw new TurnoutError('bad_request', `There is no token for ${url.origin}.`, {
      hint: 'Set HTTP_TOKEN (or HTTP_TOKEN_FILE), or give the address as `turnout gateway --url` prints it there.',
    });
  if (!isToken(token))
    throw new TurnoutError('bad_request', `The token for ${url.origin} is none: ${tokenExpected}.`);
  return { base: url.origin + url.pathname.replace(/\/+$/, ''), token };
}
