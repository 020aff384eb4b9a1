import { once } from 'node:events';
import type { Socket } from 'node:net';
import { LineSplitter } from '../process/split-lines.js';
import { maxMessageBytes } from './messages.js';

/** Messages over a socket, a line of JSON each. A slow reader slows the writer. */
export class Frames<In, Out> {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
    // `read` and `closed` tell of it; without a listener it would end the program.
    socket.on('error', () => undefined);
  }

  get closed(): boolean {
    return this.#socket.destroyed || !this.#socket.writable;
  }

  /** Resolves when there is room for the next one, or the other side is gone. */
  async send(message: Out): Promise<void> {
    if (this.closed || this.#socket.write(`${JSON.stringify(message)}\n`)) return;
    const left = new AbortController();
    const { signal } = left;
    const ways = ['drain', 'close', 'error'].map((name) => once(this.#socket, name, { signal }));
    await Promise.race(ways.map((way) => way.catch(() => undefined)));
    left.abort();
  }

  /** Ends when the other side has left, however it did. Throws if what it says is no message. */
  async *read(): AsyncGenerator<In> {
    const lines = new LineSplitter(maxMessageBytes);
    try {
      for await (const chunk of this.#socket) {
        for (const { text, truncated } of lines.push(chunk as Buffer)) {
          if (truncated) throw new BrokenFrame('A message is too long.');
          yield parse(text) as In;
        }
      }
    } catch (error) {
      if (error instanceof BrokenFrame) throw error;
    }
  }

  /** Says goodbye: what was sent before still arrives. */
  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

export class BrokenFrame extends Error {}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'type' in value) return value;
  } catch {
    // It is told below.
  }
  throw new BrokenFrame('A line is no message.');
}
