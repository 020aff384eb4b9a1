import type { Context } from 'hono';
import { FairShare } from '../../../core/fair-share.js';
import { linkedSignal } from '../../../core/linked-signal.js';
import type { HttpEnv } from './add-route.js';

export interface ServerSentEvent {
  readonly event?: string;
  /** Without data no event is dispatched: only the id counts. */
  readonly data?: unknown;
  readonly id?: string;
}

/** Data that is sent as it is, in place of JSON. */
export class PlainData {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Printed once for all who are sent the same: a long answer would be printed anew for each of hundreds of readers. */
export class SharedData {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

export interface StreamOptions {
  /** The time after which a client that was cut off comes back. Without it, the client is told nothing. */
  readonly retryMs?: number | undefined;
  readonly heartbeatMs?: number | undefined;
  /** Called with what breaks the stream off. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** A proxy, or a browser, may give a connection up that is silent for longer. */
const defaultHeartbeatMs = 15_000;
const largeBytes = 64 * 1024;
/** Of hundreds that are all behind, each one is sent about a piece at a time, and then the turns, whose output they wait for, go on. */
const readers = new FairShare(2);

/**
 * An answer of server-sent events. Only what the client has read makes room for more: `events` is asked for the next one
 * when there is room. The signal that it gets is aborted when the client has gone or the server stops.
 */
export function eventStream(
  c: Context<HttpEnv>,
  stopping: AbortSignal,
  events: (signal: AbortSignal) => AsyncIterable<ServerSentEvent>,
  { retryMs, heartbeatMs = defaultHeartbeatMs, onFailure }: StreamOptions = {},
): Response {
  const left = new AbortController();
  const { signal, release } = linkedSignal([c.req.raw.signal, stopping, left.signal]);
  const iterator = events(signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const reader = new PatientReader(iterator);
  const close = async () => {
    left.abort();
    release();
    await reader.settled();
    await iterator.return?.();
  };
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, event: ServerSentEvent) => {
    const pieces =
      event.data instanceof SharedData
        ? [encoder.encode(printHead(event)), event.data.bytes, encoder.encode('\n\n')]
        : [encoder.encode(printEvent(event))];
    // Hundreds that don't read their streams must not hold a long answer each: those that give way come back for it.
    if (pieces.some(({ length }) => length > largeBytes)) c.env?.makeRoom?.();
    for (const piece of pieces) controller.enqueue(piece);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (retryMs !== undefined) controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`));
      },
      async pull(controller) {
        try {
          const turn = readers.take();
          if (turn !== undefined) await turn;
          const found = await reader.next(heartbeatMs);
          // Whoever has left takes nothing more, not even the end.
          if (left.signal.aborted) return;
          if (found === 'silence') controller.enqueue(encoder.encode(': still here\n\n'));
          else if (found.done !== true) send(controller, found.value);
          else {
            controller.close();
            await close();
          }
        } catch (error) {
          if (left.signal.aborted) return;
          if (!c.req.raw.signal.aborted) onFailure?.(error);
          // The client comes back, and goes on behind what it has got.
          controller.error(error);
          await close();
        }
      },
      cancel: close,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 16 * 1024 }),
  );
  // nginx would hold small events back.
  const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };
  return c.body(body, 200, headers);
}

/** JSON has no line breaks of its own, so it is one line of data. */
function printEvent(event: ServerSentEvent): string {
  const { data } = event;
  if (data === undefined) return `id: ${event.id ?? ''}\n\n`;
  return `${printHead(event)}${data instanceof PlainData ? data.text : JSON.stringify(data)}\n\n`;
}

function printHead({ event, id }: ServerSentEvent): string {
  return `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: `;
}

/**
 * Waits for one value after the other, each for a limited time and as often as need be. Only one reaction is ever left with the
 * promise of a value, however long it takes to come: those of `Promise.race` would stay there, one for each time.
 */
class PatientReader<T> {
  readonly #iterator: AsyncIterator<T>;
  #pending: { readonly result: Promise<IteratorResult<T>>; isSettled: boolean } | undefined;
  #wake: (() => void) | undefined;

  constructor(iterator: AsyncIterator<T>) {
    this.#iterator = iterator;
  }

  async next(ms: number): Promise<IteratorResult<T> | 'silence'> {
    this.#pending ??= this.#ask();
    const pending = this.#pending;
    if (!pending.isSettled) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      this.#wake = undefined;
    }
    if (!pending.isSettled) return 'silence';
    this.#pending = undefined;
    return pending.result;
  }

  /** Resolves when no value is under way. */
  async settled(): Promise<void> {
    await this.#pending?.result.catch(() => undefined);
  }

  #ask(): { readonly result: Promise<IteratorResult<T>>; isSettled: boolean } {
    const pending = { result: this.#iterator.next(), isSettled: false };
    const settle = () => {
      pending.isSettled = true;
      this.#wake?.();
    };
    pending.result.then(settle, settle);
    return pending;
  }
}
