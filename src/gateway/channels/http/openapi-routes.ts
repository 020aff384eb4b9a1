import { addRoute, type HttpApp } from './add-route.js';

/** The document needs no token: it is the same for everybody. It is made once, when it is first asked for. */
export function addOpenApiRoutes(app: HttpApp): void {
  let made: Promise<string> | undefined;
  addRoute(app, '/openapi.json', {
    GET: async (c) => {
      made ??= makeDocument();
      return c.body(await made, 200, { 'Content-Type': 'application/json' });
    },
  });
}

async function makeDocument(): Promise<string> {
  const { openApiDocument } = await import('./openapi/openapi.js');
  return JSON.stringify(openApiDocument());
}
