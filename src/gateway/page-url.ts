import type { HttpAddress } from './channels/http/http-channel.js';

/** The address of the page. A server never sees a fragment, so that the token stands in no log of a proxy. */
export function pageUrl(address: HttpAddress, token?: string): string {
  const url = `http://${reachable(address.host)}:${address.port}/`;
  return token === undefined ? url : `${url}#token=${encodeURIComponent(token)}`;
}

/** A gateway that listens on every address of the machine is reached here on its loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
