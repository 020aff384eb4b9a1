import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Violations } from '../state/violations.js';
import { ApiError } from './api-error.js';
import type { Fault, Faults, OrderedFault } from './faults.js';
import type { RateLimits } from './rate-limits.js';
import { type Answer, type Call, findRoute, type Route, readBody } from './route.js';

export interface RestOptions {
  readonly token: string;
  readonly routes: readonly Route[];
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  readonly violations: Violations;
  /** Files of messages: outside of the API, without a token. */
  readonly cdn: readonly Route[];
}

export interface SeenRequest {
  readonly route: string;
  readonly path: string;
  readonly status: number | 'dropped';
}

const ordinaryLimit = { requests: 10, per: 1000 };

/** The side of Discord that is asked: HTTP with version 10 of the API. */
export class RestServer {
  readonly server: Server;
  readonly seen: SeenRequest[] = [];
  /** Answers of 401, 403 and 429: after 10,000 in 10 minutes, Discord bans an address. */
  invalidRequests = 0;

  constructor(private readonly options: RestOptions) {
    options.faults.know([...options.routes, ...options.cdn].map(({ name }) => name));
    this.server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        // A client that is killed leaves half a request behind.
        if (!request.complete) return;
        options.violations.record('malformed', `the loopback Discord failed: ${error}`);
        response.destroy();
      });
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://loopback');
    const path = url.pathname.replace(/^\/api\/v10\//, '/');
    const isApi = path !== url.pathname;
    const found = findRoute(isApi ? this.options.routes : this.options.cdn, request.method ?? 'GET', path);
    const reply = new Reply(response, (status) => {
      if (status === 401 || status === 403 || status === 429) this.invalidRequests += 1;
      this.seen.push({ route: found?.route.name ?? 'unknown', path, status });
    });
    if (!found) {
      this.options.violations.record('unknown-route', `${request.method} ${url.pathname}`);
      reply.refuse(new ApiError(404, 0, '404: Not Found'));
      return;
    }
    const { route, parameters } = found;
    const major = (route.major ? parameters[route.major] : Object.values(parameters)[0]) ?? '';
    const parameter = (name: string) => parameters[name] ?? '';
    const content = await this.#admit(route, request);
    const order = content instanceof ApiError ? undefined : this.options.faults.take(route.name, major);
    if (content instanceof ApiError) reply.refuse(content);
    else if (order && !commits(order.fault)) await failBefore(order, reply);
    else if (!isApi || this.#allow(route, major, reply)) {
      const result = runRoute(route, { ...content, parameter, query: url.searchParams });
      if (order) await failAfter(order, reply, result);
      else reply.finish(result);
    }
  }

  /** What was sent, if it can be read and comes from the bot. */
  async #admit(route: Route, request: IncomingMessage): Promise<Pick<Call, 'body' | 'files'> | ApiError> {
    try {
      const content = await readBody(request);
      if (!route.open && !/^DiscordBot \(/.test(request.headers['user-agent'] ?? '')) {
        this.options.violations.record('malformed', `${route.name} without the user agent of a bot`);
      }
      if (route.open || request.headers.authorization === `Bot ${this.options.token}`) return content;
      this.options.violations.record('token', `${route.name} with a wrong token`);
      return new ApiError(401, 0, '401: Unauthorized');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.options.violations.record('malformed', `${route.name}: ${error.message}`);
      return error;
    }
  }

  /** False if it was too much: that is answered. */
  #allow(route: Route, major: string, reply: Reply): boolean {
    const allowance = this.options.rateLimits.take(
      route.name,
      major,
      route.limit ?? ordinaryLimit,
      !route.open,
    );
    reply.headers = allowance.headers;
    if (allowance.allowed) return true;
    this.options.violations.record('rate-limit', `${route.name} of ${major}`);
    reply.limit(allowance.resetAfter, allowance.global);
    return false;
  }
}

async function failBefore(order: OrderedFault, reply: Reply): Promise<void> {
  const { fault } = order;
  if (fault.type === 'hang') await order.released;
  if (fault.type === 'rate-limit') reply.limit(fault.retryAfter ?? 0.02, fault.global ?? false);
  else if (fault.type === 'refuse') reply.refuse(new ApiError(fault.status, fault.code, fault.message));
  else if (fault.type === 'error') reply.fail(fault.status ?? 500);
  else reply.drop();
}

async function failAfter(order: OrderedFault, reply: Reply, result: Answer | ApiError): Promise<void> {
  const { fault } = order;
  if (fault.type === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.milliseconds));
  if (fault.type === 'hang') await order.released;
  if (fault.type === 'error') reply.fail(fault.status ?? 500);
  else if (fault.type === 'drop') reply.drop();
  else reply.finish(result);
}

function commits(fault: Fault): boolean {
  return fault.type === 'slow' || ('commit' in fault && fault.commit === true);
}

function runRoute(route: Route, call: Call): Answer | ApiError {
  try {
    return route.run(call);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Writes one answer, and notes its status. */
class Reply {
  headers: Readonly<Record<string, string>> = {};

  constructor(
    private readonly response: ServerResponse,
    private readonly note: (status: number | 'dropped') => void,
  ) {}

  finish(result: Answer | ApiError): void {
    if (result instanceof ApiError) this.refuse(result);
    // discord.js reads a 204 with a JSON content type as JSON, and fails.
    else if (result === undefined) this.#write(204);
    else if ('bytes' in result) this.#write(200, result.type ?? 'application/octet-stream', result.bytes);
    else this.#write(200, 'application/json', JSON.stringify(result.json));
  }

  refuse(error: ApiError): void {
    this.#write(error.status, 'application/json', JSON.stringify(error.body));
  }

  fail(status: number): void {
    this.#write(status, 'text/html', '<html><body>Something went wrong at Discord</body></html>');
  }

  limit(retryAfter: number, global: boolean): void {
    const scope = { 'retry-after': String(retryAfter), 'x-ratelimit-scope': global ? 'global' : 'user' };
    this.headers = { ...this.headers, ...scope, ...(global ? { 'x-ratelimit-global': 'true' } : {}) };
    const body = { message: 'You are being rate limited.', retry_after: retryAfter, global };
    this.#write(429, 'application/json', JSON.stringify(body));
  }

  drop(): void {
    this.note('dropped');
    this.response.destroy();
  }

  #write(status: number, type?: string, body: string | Uint8Array = ''): void {
    this.note(status);
    this.response.writeHead(status, { ...this.headers, ...(type ? { 'content-type': type } : {}) }).end(body);
  }
}
