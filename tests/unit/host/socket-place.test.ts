import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { listenAlone } from '../../../src/host/listen.js';
import { findHost } from '../../../src/host/reach-host.js';
import { SocketPlace } from '../../../src/host/socket-place.js';
import { it, Stage } from '../../contract/stage.js';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function placeOf(home: string): SocketPlace {
  const place = new SocketPlace(home, true);
  closing.push(() => place.close());
  return place;
}

async function listen(place: SocketPlace): Promise<boolean> {
  const server = createServer((socket) => socket.end());
  closing.push(() => server.close());
  return listenAlone(server, place);
}

describe('the place of the socket (18.7)', () => {
  it('is made for this user alone', async ({ stage }) => {
    const place = placeOf(stage.home);
    expect(await listen(place)).toBe(true);
    expect((place.socket()?.mode ?? 0) & 0o777).toBe(0o600);
    (await findHost(stage.home))?.destroy();
  });

  it.each<readonly [string, (stage: Stage) => void]>([
    ['the directory is open to others', ({ home }) => chmodSync(join(home, 'host'), 0o711)],
    ['a directory above it can be changed by others', ({ home }) => chmodSync(home, 0o777)],
    ['the socket is open to others', ({ home }) => chmodSync(join(home, 'host/host.sock'), 0o666)],
    [
      'the directory is a link',
      ({ home, directory }) => {
        rmSync(join(home, 'host'), { recursive: true });
        mkdirSync(join(directory, 'elsewhere'), { mode: 0o700 });
        symlinkSync(join(directory, 'elsewhere'), join(home, 'host'));
      },
    ],
    [
      'a file is in its place',
      ({ home }) => {
        rmSync(join(home, 'host/host.sock'));
        writeFileSync(join(home, 'host/host.sock'), '', { mode: 0o600 });
      },
    ],
    [
      'a link is in its place',
      ({ home, directory }) => {
        rmSync(join(home, 'host/host.sock'));
        symlinkSync(join(directory, 'other.sock'), join(home, 'host/host.sock'));
      },
    ],
  ])('is refused if %s', async (_, spoil) => {
    const stage = new Stage();
    closing.push(() => stage.close());
    expect(await listen(placeOf(stage.home))).toBe(true);
    spoil(stage);
    await expect(findHost(stage.home)).rejects.toThrow();
  });

  it('has one host: the second one is told, and a dead one’s socket is replaced', async ({ stage }) => {
    const place = placeOf(stage.home);
    // What a killed host leaves: a socket where nobody listens.
    const dead = createServer();
    dead.listen(join(place.directory, 'dead.sock'));
    await new Promise((resolve) => dead.once('listening', resolve));
    chmodSync(join(place.directory, 'dead.sock'), 0o600);
    linkSync(join(place.directory, 'dead.sock'), join(place.directory, 'host.sock'));
    await new Promise((resolve) => dead.close(resolve));
    expect(await findHost(stage.home)).toBeUndefined();
    const tries = await Promise.all([listen(place), listen(place), listen(place)]);
    expect(tries.filter(Boolean)).toHaveLength(1);
    (await findHost(stage.home))?.destroy();
  });

  it('may be too deep for a socket’s path', async ({ stage }) => {
    const home = join(stage.home, 'a'.repeat(100), 'b'.repeat(100));
    mkdirSync(home, { recursive: true });
    expect(await listen(placeOf(home))).toBe(true);
    const found = await findHost(home);
    expect(found).toBeDefined();
    found?.destroy();
  });
});
