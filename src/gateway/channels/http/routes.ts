import { Hono, type MiddlewareHandler } from 'hono';
import type { HttpApp, HttpEnv, RouteOptions } from './add-route.js';
import { addChainRoutes } from './chain-routes.js';
import { addChangeRoutes } from './change-routes.js';
import { addChannelRoutes } from './channel-routes.js';
import { checkHost } from './check-host.js';
import { checkOrigin } from './check-origin.js';
import { checkToken } from './check-token.js';
import { addEventRoutes } from './event-routes.js';
import { addFeedRoutes } from './feed-routes.js';
import { limitRequests } from './limit-requests.js';
import { isOpenAiPath, toOpenAiProblem } from './openai/open-ai-problem.js';
import { addOpenAiRoutes } from './openai/open-ai-routes.js';
import { addOpenApiRoutes } from './openapi-routes.js';
import { addOverviewRoutes } from './overview-routes.js';
import { addPageRoutes } from './page-routes.js';
import { addPageSessionRoutes } from './page-session-routes.js';
import { addPermissionRoutes } from './permission-routes.js';
import { HttpProblem, outcomeOf, toProblem } from './problem.js';
import { answerHeaders } from './security-headers.js';
import { addSessionRoutes } from './session-routes.js';
import { addStatisticsRoutes } from './statistics-routes.js';
import { addStatusRoutes } from './status-routes.js';

/** The HTTP interface, as `docs/http-api.md` describes it. */
export function createApp(options: RouteOptions): HttpApp {
  // A slash at the end of a path changes nothing.
  const app: HttpApp = new Hono({ strict: false });
  app.use('*', observe(options));
  app.use('*', limitRequests(options), checkHost(options.hosts));
  app.use('/v1/*', checkOrigin(options.hosts), checkToken(options));
  addPageSessionRoutes(app, options);
  addChannelRoutes(app, options);
  addOverviewRoutes(app, options);
  addStatisticsRoutes(app, options);
  addEventRoutes(app, options);
  addSessionRoutes(app, options);
  addChangeRoutes(app, options);
  addChainRoutes(app, options);
  addFeedRoutes(app, options);
  addPermissionRoutes(app, options);
  addOpenAiRoutes(app, options);
  addStatusRoutes(app, options);
  addOpenApiRoutes(app);
  addPageRoutes(app, options);
  app.notFound((c) => {
    const problem = new HttpProblem('not_found', `There is nothing at ${c.req.path}.`);
    return c.json(problem.body, problem.status);
  });
  app.onError((error, c) => {
    const problem = (isOpenAiPath(c.req.path) ? toOpenAiProblem : toProblem)(error, outcomeOf(c.req.method));
    if (problem.status >= 500) {
      // A client that has gone may be why, and nobody misses the answer.
      const isMissed = !c.req.raw.signal.aborted;
      const level = problem.code === 'internal' ? 'error' : isMissed ? 'warn' : 'debug';
      options.log[level]('http request failed', { method: c.req.method, path: c.req.path, error });
    }
    return c.json(problem.body, problem.status, { ...problem.headers });
  });
  return app;
}

/** Logs and counts each request, never its content. */
function observe({ log, metrics, stopping }: RouteOptions): MiddlewareHandler<HttpEnv> {
  const requests = metrics?.counter('turnout_http_requests_total', 'HTTP requests by route and status.', {
    labelled: true,
  });
  return async (c, next) => {
    const began = performance.now();
    // The headers are set before the answer is made: set on a finished answer, they cost another copy of it.
    for (const [name, value] of Object.entries(answerHeaders)) c.header(name, value);
    await next();
    if (stopping.aborted) c.header('Connection', 'close');
    const { status } = c.res;
    // The route is counted, not the path: each channel and event would make a series of its own.
    requests?.inc({ method: c.req.method, route: c.get('route') ?? 'other', status });
    const ms = Math.round(performance.now() - began);
    log.debug('http request', { method: c.req.method, path: c.req.path, status, ms });
  };
}
