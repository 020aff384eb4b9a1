import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps what clients have asked for and do not read below a limit, in all connections together. When there is more, the
 * connection with the most gives way. `makeRoom` is called before an answer is written.
 */
export function limitUnread(server: Server, maxBytes: number): { readonly makeRoom: () => void } {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    makeRoom() {
      let total = 0;
      for (const socket of open) total += socket.writableLength;
      if (total <= maxBytes) return;
      for (const socket of [...open].sort((a, b) => b.writableLength - a.writableLength)) {
        if (total <= maxBytes) return;
        total -= socket.writableLength;
        socket.destroy();
      }
    },
  };
}
