import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './add-route.js';
import { nameInHost, type OwnHosts } from './own-hosts.js';
import { HttpProblem } from './problem.js';

/**
 * Refuses requests to a name that is not this gateway's. A page on the internet can make its own name point to 127.0.0.1
 * (DNS rebinding): to the browser the gateway is then of the page's origin, and only the Host tells.
 */
export function checkHost(hosts: OwnHosts): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    for (const host of hostsOf(c.req.header('Host'), c.env.incoming.url)) {
      const name = nameInHost(host);
      if (name === undefined || !hosts.isOwn(name)) throw foreignHost(host, name);
    }
    return next();
  };
}

/** Without a Host (HTTP/1.0) there is none to check. A request line with a whole address names a second one. */
function hostsOf(header: string | undefined, target: string | undefined): readonly string[] {
  const whole = /^https?:\/\/([^/?#]*)/i.exec(target ?? '')?.[1];
  return [...(header === undefined ? [] : [header]), ...(whole === undefined ? [] : [whole])];
}

function foreignHost(host: string, name: string | undefined): HttpProblem {
  const shown = JSON.stringify(host.slice(0, 160));
  return new HttpProblem(
    'forbidden',
    name === undefined
      ? `The Host ${shown} is not valid.`
      : `${shown} is no name of this gateway. Use its address, or add ${name.slice(0, 160)} to HTTP_ALLOWED_HOSTS.`,
  );
}
