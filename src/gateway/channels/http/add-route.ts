import type { Handler, Hono } from 'hono';
import type { Log } from '../../../config/log.js';
import type { Metrics } from '../../metrics.js';
import type { GatewayFace } from '../types.js';
import { HttpProblem } from './problem.js';

export type HttpEnv = { Variables: { route: string } };
export type HttpApp = Hono<HttpEnv>;

export interface RouteOptions {
  readonly gateway: GatewayFace;
  readonly token: string;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly maxBodyBytes: number;
  /** The signal is aborted when the channel stops: requests that wait are answered at once. */
  readonly stopping: AbortSignal;
}

/** Adds a path with its methods; any other method is answered with 405. */
export function addRoute<Path extends string>(
  app: HttpApp,
  path: Path,
  handlers: { readonly GET?: Handler<HttpEnv, Path>; readonly POST?: Handler<HttpEnv, Path> },
): void {
  app.use(path, (c, next) => {
    c.set('route', path);
    return next();
  });
  for (const [method, handler] of Object.entries(handlers)) app.on(method, path, handler);
  const allowed = [
    ...('GET' in handlers ? ['GET', 'HEAD'] : []),
    ...('POST' in handlers ? ['POST'] : []),
  ].join(', ');
  app.all(path, (c) => {
    const message = `${c.req.method} is not possible here: ${allowed} is.`;
    throw new HttpProblem('method_not_allowed', message, { headers: { Allow: allowed } });
  });
}
