import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Lets go of clients that have taken nothing of an answer for so long. Node's timer of a socket starts again with every byte
 * that the system takes. A stream that has nothing to say, or a request that waits for its answer, is not stalled.
 */
export function letGoOfStalled(server: Server, ms: number, isBusy: (socket: Socket) => boolean): void {
  server.timeout = ms;
  // With a listener Node leaves the closing to it, that of idle connections, too.
  server.on('timeout', (socket: Socket) => {
    if (isBusy(socket) && socket.writableLength === 0) socket.setTimeout(ms);
    else socket.destroy();
  });
}
