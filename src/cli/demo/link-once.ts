import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A browser that has not come by then does not come any more. */
const openMs = 30_000;

export interface LinkOnce {
  readonly url: string;
  /** Resolves when the link was used, or leads nowhere any more. */
  readonly over: Promise<unknown>;
  close(): void;
}

/**
 * An address on this machine that leads to another one, once, and to this user only where the system tells whose a connection is.
 * Whoever reads it from the arguments of a program finds it used.
 */
export async function linkOnce(target: string): Promise<LinkOnce> {
  const path = `/${randomBytes(16).toString('base64url')}`;
  const server = createServer(async (request, response) => {
    const isOurs = request.url === path && (await isOwn(request.socket));
    response.setHeader('connection', 'close');
    if (!isOurs || !server.listening) return response.writeHead(404).end();
    server.close();
    // A browser keeps the fragment of a redirection.
    return response.writeHead(302, { location: target, 'cache-control': 'no-store' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const over = once(server, 'close');
  const tooLate = setTimeout(() => server.close(), openMs);
  void over.then(() => clearTimeout(tooLate));
  return { url: `http://127.0.0.1:${port}${path}`, over, close: () => server.close() };
}

/** Linux tells who has opened the other end of a connection; elsewhere nobody is known to be somebody else. */
async function isOwn({ remotePort }: Socket): Promise<boolean> {
  const table = await readFile('/proc/net/tcp', 'utf8').catch(() => undefined);
  return table === undefined || ownerOf(table, remotePort ?? 0) === process.getuid?.();
}

/** The user of the socket with this local port on the loopback address, in the format of /proc/net/tcp. */
export function ownerOf(table: string, port: number): number | undefined {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const row = table.split('\n').find((line) => line.trim().split(/\s+/)[1] === local);
  const uid = row?.trim().split(/\s+/)[7];
  return uid === undefined ? undefined : Number(uid);
}
