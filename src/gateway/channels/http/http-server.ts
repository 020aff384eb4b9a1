import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Log } from '../../../config/log.js';
import { affordableConnections, limitConnections } from './connection-limit.js';
import { serveInOrder } from './in-order.js';
import { HttpProblem, toProblem } from './problem.js';
import { letGoOfStalled } from './stalled-readers.js';
import { limitUnread } from './unread-limit.js';

export interface ServerLimits {
  /** The headers, and the whole request, must have arrived by then: a slow sender holds no connection for ever. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxConnections: number;
  /** A client that has taken nothing of its answer for so long is let go. */
  readonly stalledReaderMs: number;
  /** What clients have asked for and not read, together. */
  readonly maxUnreadBytes: number;
}

export interface HttpServer {
  readonly server: Server;
  /** Takes no more requests; those that run have `graceMs` to end. */
  close(graceMs: number): Promise<void>;
}

/** What a handler knows of the server. */
export interface ServerBindings {
  readonly incoming: IncomingMessage;
  /** Called before something large is written to a stream. */
  readonly makeRoom?: () => void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Node's server around a fetch handler. Requests that never reach the handler are answered in JSON too. */
export function createHttpServer(
  fetch: (request: Request, env: ServerBindings) => Response | Promise<Response>,
  options: { readonly host: string; readonly limits: ServerLimits; readonly log: Log },
): HttpServer {
  const { headersTimeoutMs, requestTimeoutMs } = options.limits;
  const answer = async (request: Request, env: unknown): Promise<Response> => {
    const { incoming } = env as { incoming: IncomingMessage };
    const made = await fetch(request, { incoming, makeRoom: unread.makeRoom });
    unread.makeRoom();
    return made;
  };
  const listener = getRequestListener(answer, {
    // A request of HTTP/1.0 need not name the host.
    hostname: isIPv6(options.host) ? `[${options.host}]` : options.host,
    // The default, true, replaces the global Request and Response of the whole process.
    overrideGlobalObjects: false,
    errorHandler: (error) => {
      if (!(error instanceof RequestError)) options.log.error('http request failed', { error });
      const problem =
        error instanceof RequestError
          ? new HttpProblem('bad_request', `The request's address is not valid: ${error.message}`)
          : toProblem(error, 'The request failed');
      return Response.json(problem.body, { status: problem.status });
    },
  });
  const exchanges = new WeakMap<Duplex, Exchange>();
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, headersTimeoutMs),
  });
  limitConnections(server, affordableConnections(options.limits.maxConnections));
  const unread = limitUnread(server, options.limits.maxUnreadBytes);
  letGoOfStalled(
    server,
    options.limits.stalledReaderMs,
    (socket) => exchanges.get(socket)?.response.writableFinished === false,
  );
  // Sockets without a request so far: Node does not count them as idle.
  const unusedSockets = new Set<Socket>();
  server.on('connection', (socket) => {
    unusedSockets.add(socket);
    socket.once('close', () => unusedSockets.delete(socket));
  });
  server.on('request', (request, response) => {
    unusedSockets.delete(request.socket);
    exchanges.set(request.socket, { request, response });
  });
  serveInOrder(server, (request, response) => void listener(request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    answerBrokenRequest(error, socket, exchanges.get(socket));
  });
  const closeIdle = () => {
    server.closeIdleConnections();
    for (const socket of unusedSockets) socket.destroy();
  };
  return { server, close: (graceMs) => closeServer(server, closeIdle, graceMs) };
}

async function closeServer(server: Server, closeIdle: () => void, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  closeIdle();
  // A connection that is kept alive becomes idle when its answer is out, and would stay until it times out.
  const sweep = setInterval(closeIdle, 25);
  const end = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(end);
}

/** Answers a request that Node could not parse, as Node does, but in JSON. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, last: Exchange | undefined): void {
  // An answer that belongs to an earlier request of the connection is still on its way: nothing may come before it.
  const busy = last !== undefined && !last.response.writableFinished;
  const isLastBroken = busy && !last.request.complete && !last.response.headersSent;
  if (!socket.writable || error.code === 'ECONNRESET' || (busy && !isLastBroken)) {
    socket.destroy();
    return;
  }
  const { line, problem } = describeFault(error);
  const body = JSON.stringify(problem.body);
  const head = [
    `HTTP/1.1 ${line}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function describeFault(error: NodeJS.ErrnoException): { line: string; problem: HttpProblem } {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        line: '431 Request Header Fields Too Large',
        problem: new HttpProblem('too_large', 'The headers of the request are too large.'),
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        line: '408 Request Timeout',
        problem: new HttpProblem('timeout', 'The request took too long to arrive.'),
      };
    default:
      return {
        line: '400 Bad Request',
        problem: new HttpProblem('bad_request', 'This is not a valid HTTP request.'),
      };
  }
}
