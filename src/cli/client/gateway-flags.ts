import { resolve } from 'node:path';
import { type FlagTable, type GivenFlags, wrongUsage } from '../command/read-flags.js';
import type { GatewayChoice } from './find-gateway.js';

/** The flags that find a gateway. */
export const gatewayFlags = {
  home: {
    type: 'text',
    value: 'dir',
    about: 'its data directory (TURNOUT_HOME, default ~/.turnout)',
    complete: 'directories',
  },
  demo: { type: 'switch', about: "the demo's gateway" },
  url: {
    type: 'text',
    value: 'address',
    about:
      'a gateway elsewhere; its token is HTTP_TOKEN, or in the address, as `turnout gateway --url` prints it there',
  },
} as const satisfies FlagTable;

type Given = Pick<GivenFlags<keyof typeof gatewayFlags>, 'has' | 'text'>;

/** Throws `bad_request` if two gateways are named. */
export function readChoice(command: string, given: Given): GatewayChoice {
  const places = (['url', 'demo', 'home'] as const).filter((name) => given.has(name));
  if (places.includes('url') && places.length > 1)
    throw wrongUsage(command, `${places.map((name) => `--${name}`).join(' and ')} were both given`);
  const home = given.text('home');
  return {
    url: given.text('url'),
    demo: given.has('demo'),
    home: home === undefined ? undefined : resolve(home),
  };
}

/** The flags that find the same gateway, for commands that are named to a person. None for --url: it may have a token. */
export function flagsOf(given: Given): string {
  const home = given.text('home');
  return `${home === undefined ? '' : ` --home ${home}`}${given.has('demo') ? ' --demo' : ''}`;
}
