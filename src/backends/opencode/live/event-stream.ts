import { setTimeout as sleep } from 'node:timers/promises';
import { LineSplitter } from '../../../process/split-lines.js';
import type { OpenCodeHttp } from './transport.js';

/** Finds the data of server-sent events in bytes that come in any pieces; lines end with LF or CRLF. */
export class SseFrames {
  readonly #lines = new LineSplitter();
  #data: string[] = [];

  push(chunk: Buffer): readonly string[] {
    const frames: string[] = [];
    for (const { text } of this.#lines.push(chunk)) {
      const line = text.endsWith('\r') ? text.slice(0, -1) : text;
      if (line.startsWith('data:')) this.#data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      else if (line === '' && this.#data.length > 0) {
        frames.push(this.#data.join('\n'));
        this.#data = [];
      }
    }
    return frames;
  }
}

export interface EventListener {
  /** Called when the stream is connected. If `again`, it was broken, and the events meanwhile are lost. */
  connected(again: boolean): void;
  event(data: string): void;
}

/** Reads all events of a server, and connects again until it is stopped. */
export class EventStream {
  readonly #http: OpenCodeHttp;
  readonly #listener: EventListener;
  readonly #stop = new AbortController();

  constructor(http: OpenCodeHttp, listener: EventListener) {
    this.#http = http;
    this.#listener = listener;
  }

  async run(): Promise<void> {
    const { signal } = this.#stop;
    for (let again = false, pause = firstPauseMs; !signal.aborted; again = true) {
      if (again) await sleep(pause, undefined, { signal }).catch(() => undefined);
      const wasConnected = await this.#listen(again, signal).catch(() => false);
      pause = wasConnected ? firstPauseMs : Math.min(pause * 2, longestPauseMs);
    }
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Resolves when the stream has ended: true if it was connected. */
  async #listen(again: boolean, signal: AbortSignal): Promise<boolean> {
    const response = await this.#http.open({ method: 'GET', path: '/global/event' }, signal);
    if (response.statusCode !== 200) {
      response.destroy();
      return false;
    }
    const frames = new SseFrames();
    this.#listener.connected(again);
    try {
      for await (const chunk of response) {
        for (const data of frames.push(chunk as Buffer)) this.#listener.event(data);
      }
    } catch {
      // A stream that breaks is connected again like one that ends.
    }
    return true;
  }
}

const firstPauseMs = 50;
const longestPauseMs = 2000;
