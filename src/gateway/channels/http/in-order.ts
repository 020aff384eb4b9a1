import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const maxWaiting = 100;

/**
 * Serves the requests of each connection one after the other. A client may send hundreds of them at once; their answers
 * would all be made, and wait in memory behind the first one.
 */
export function serveInOrder(
  server: Server,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  const lines = new WeakMap<Socket, { waiting: number; last: ServerResponse }>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined || (line.waiting === 0 && line.last.writableFinished)) {
      lines.set(socket, { waiting: 0, last: response });
      serve(request, response);
      return;
    }
    if (line.waiting >= maxWaiting) {
      socket.destroy();
      return;
    }
    line.waiting += 1;
    line.last.once('close', () => {
      line.waiting -= 1;
      if (!socket.destroyed) serve(request, response);
    });
    line.last = response;
  });
}
