import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Keeps a server's connections below a limit, so that whoever opens hundreds of them and says nothing takes no file
 * descriptor from the store and the agents. A new one is always let in: it takes the place of the one that matters least.
 */
export function limitConnections(server: Server, max: number): void {
  /** The open connections, the oldest first, each with its last request. */
  const open = new Map<Socket, Connection | undefined>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
    if (open.size > max) (expendable(open, socket) ?? socket).destroy();
  });
  server.on('request', (request, response) => {
    if (open.has(request.socket)) open.set(request.socket, { request, response });
  });
}

/** Undefined if every other connection is in the middle of something that must not be broken off. */
function expendable(open: ReadonlyMap<Socket, Connection | undefined>, newest: Socket): Socket | undefined {
  const others = [...open].filter(([socket]) => socket !== newest && !socket.destroyed);
  for (const matters of inRisingOrder) {
    const found = others.find(([, connection]) => matters(connection));
    if (found !== undefined) return found[0];
  }
  return undefined;
}

/** The kinds of connections, those that matter least first. A request that only reads can be sent again. */
const inRisingOrder: readonly ((connection: Connection | undefined) => boolean)[] = [
  (connection) => connection === undefined,
  (connection) => connection?.response.writableFinished === true,
  (connection) => connection?.request.complete === false,
  (connection) => connection?.request.method === 'GET',
];

/** A quarter of the file descriptors that the process may have, at most `wanted`. */
export function affordableConnections(wanted: number): number {
  return Math.max(8, Math.min(wanted, Math.floor(fileDescriptorLimit() / 4)));
}

/** Infinite where the system does not tell it in this place: macOS gives a Node process more than ten thousand. */
function fileDescriptorLimit(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
