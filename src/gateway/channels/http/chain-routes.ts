import { TurnoutError } from '../../../core/errors.js';
import type { ChainRun } from '../lookups.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { checkLimit } from './check-parameters.js';
import { HttpProblem } from './problem.js';
import type { ChainRunsView, ChainRunView } from './wire.js';

export function addChainRoutes(app: HttpApp, { gateway }: RouteOptions): void {
  addRoute(app, '/v1/chains/runs', {
    GET: async (c) => {
      const limit = checkLimit(c.req.query('limit'), { usual: 50, most: 200 });
      return c.json({ runs: await gateway.chainRuns.list(limit) } satisfies ChainRunsView);
    },
  });

  addRoute(app, '/v1/chains/runs/:id', {
    GET: async (c) => {
      const id = c.req.param('id');
      const run = await gateway.chainRuns.read(id).catch((error: unknown) => {
        // The run is there, but its journal can't be shown: no fault of the request's.
        if (!(error instanceof TurnoutError)) throw error;
        throw new HttpProblem('conflict', error.explanation, { cause: error });
      });
      if (run === undefined)
        throw new HttpProblem('not_found', `There is no run ${JSON.stringify(id.slice(0, 160))}.`);
      return c.json(representRun(run));
    },
  });
}

function representRun({ endedAt, ...run }: ChainRun): ChainRunView {
  return { ...run, ...(endedAt === undefined ? {} : { endedAt }) };
}
