import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './add-route.js';
import { type OwnHosts, plainName } from './own-hosts.js';
import { HttpProblem } from './problem.js';

/**
 * Refuses what a page of another origin sends, whatever it has to show: a form (CSRF), a script, a preflight. There is no
 * CORS. Another port of the same machine is another origin, although a browser sends it the same cookies.
 */
export function checkOrigin(hosts: OwnHosts): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const origin = c.req.header('Origin');
    if (origin !== undefined && !isOwnOrigin(origin, c.req.header('Host'), hosts)) {
      throw foreign(`a page of ${JSON.stringify(origin.slice(0, 160))}`);
    }
    const site = c.req.header('Sec-Fetch-Site');
    if (site !== undefined && !ownSites.has(site)) throw foreign('a page of another origin');
    return next();
  };
}

/** `none` is what the user does: an address that was typed, a bookmark. */
const ownSites: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** True if a header tells that a request comes from the gateway's own page. `checkOrigin` has refused what is foreign. */
export function tellsOrigin(header: (name: string) => string | undefined): boolean {
  return header('Origin') !== undefined || header('Sec-Fetch-Site') !== undefined;
}

function isOwnOrigin(origin: string, host: string | undefined, hosts: OwnHosts): boolean {
  const own = host?.toLowerCase();
  if (origin === `http://${own}`) return true;
  const secure = /^https:\/\/(.*?)(:\d+)?$/.exec(origin);
  if (secure === null || !hosts.isAllowed(plainName(secure[1] ?? ''))) return false;
  // The proxy may have put the gateway's address in place of the Host. Another port of its name is another service.
  return secure[2] === undefined || origin === `https://${own}`;
}

function foreign(sender: string): HttpProblem {
  const hint = 'If this gateway is behind a proxy with https, add its name to HTTP_ALLOWED_HOSTS.';
  return new HttpProblem(
    'forbidden',
    `This request comes from ${sender}: only the gateway's own may. ${hint}`,
  );
}
