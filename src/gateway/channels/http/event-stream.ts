import type { Context } from 'hono';
import { linkedSignal } from '../../../core/linked-signal.js';
import type { HttpEnv } from './add-route.js';

export interface ServerSentEvent {
  readonly event?: string;
  readonly data: unknown;
  readonly id?: string;
}

/** Data that is sent as it is, in place of JSON. */
export class PlainData {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
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
  let next: Promise<IteratorResult<ServerSentEvent>> | undefined;
  const close = async () => {
    left.abort();
    release();
    await next?.catch(() => undefined);
    await iterator.return?.();
  };
  const encode = (event: ServerSentEvent): Uint8Array => {
    const bytes = encoder.encode(printEvent(event));
    // Hundreds that don't read their streams must not hold a long answer each: those that give way come back for it.
    if (bytes.length > largeBytes) c.env?.makeRoom?.();
    return bytes;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (retryMs !== undefined) controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`));
      },
      async pull(controller) {
        try {
          next ??= iterator.next();
          const found = await orHeartbeat(next, heartbeatMs);
          if (found === undefined) {
            controller.enqueue(encoder.encode(': still here\n\n'));
            return;
          }
          next = undefined;
          if (found.done === true) {
            await close();
            controller.close();
          } else controller.enqueue(encode(found.value));
        } catch (error) {
          // The client comes back, and goes on behind what it has got.
          next = undefined;
          await close();
          onFailure?.(error);
          controller.error(error);
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
export function printEvent({ event, data, id }: ServerSentEvent): string {
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${data instanceof PlainData ? data.text : JSON.stringify(data)}`,
  ];
  return `${lines.join('\n')}\n\n`;
}

/** Undefined if nothing has come for a while. */
async function orHeartbeat<T>(next: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}
