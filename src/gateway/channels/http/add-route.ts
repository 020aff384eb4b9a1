import type { Handler, Hono } from 'hono';
import type { Log } from '../../../config/log.js';
import type { Metrics } from '../../metrics.js';
import type { GatewayFace } from '../types.js';
import type { ServerBindings } from './http-server.js';
import type { Page } from './load-page.js';
import type { OwnHosts } from './own-hosts.js';
import { HttpProblem } from './problem.js';

export type HttpEnv = {
  Bindings: ServerBindings;
  Variables: {
    route: string;
    /** How the sender of a request under `/v1` has shown who it is. */
    authentication: 'token' | 'page';
  };
};
export type HttpApp = Hono<HttpEnv>;

export interface RouteOptions {
  readonly gateway: GatewayFace;
  readonly token: string;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly maxBodyBytes: number;
  readonly hosts: OwnHosts;
  /** From one address; 0 for any number. */
  readonly maxRequestsPerMinute: number;
  /** Without it there is nothing at `/`. */
  readonly page?: Page | undefined;
  /** The signal is aborted when the channel stops: requests that wait are answered at once. */
  readonly stopping: AbortSignal;
}

/** Adds a path with its methods; any other method is answered with 405. */
export function addRoute<Path extends string>(
  app: HttpApp,
  path: Path,
  handlers: Readonly<Partial<Record<'GET' | 'POST' | 'PATCH' | 'DELETE', Handler<HttpEnv, Path>>>>,
): void {
  app.use(path, (c, next) => {
    c.set('route', path);
    return next();
  });
  for (const [method, handler] of Object.entries(handlers)) app.on(method, path, handler);
  const allowed = ['GET', 'POST', 'PATCH', 'DELETE']
    .filter((method) => method in handlers)
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ');
  app.all(path, (c) => {
    const message = `${c.req.method} is not possible here: ${allowed} is.`;
    throw new HttpProblem('method_not_allowed', message, { headers: { Allow: allowed } });
  });
}
