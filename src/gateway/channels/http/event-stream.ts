import type { Context } from 'hono';

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
}

/** A proxy, or a browser, may give a connection up that is silent for longer. */
const defaultHeartbeatMs = 15_000;

/**
 * An answer of server-sent events. Only what the client has read makes room for more: `events` is asked for the next one
 * when there is room. The signal that it gets is aborted when the client has gone or the server stops.
 */
export function eventStream(
  c: Context,
  stopping: AbortSignal,
  events: (signal: AbortSignal) => AsyncIterable<ServerSentEvent>,
  { retryMs, heartbeatMs = defaultHeartbeatMs }: StreamOptions = {},
): Response {
  const gone = c.req.raw.signal;
  const ended = new AbortController();
  const end = () => ended.abort();
  for (const signal of [gone, stopping]) {
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
  }
  const iterator = events(ended.signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<ServerSentEvent>> | undefined;
  const close = async () => {
    end();
    for (const signal of [gone, stopping]) signal.removeEventListener('abort', end);
    await next?.catch(() => undefined);
    await iterator.return?.();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (retryMs !== undefined) controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`));
      },
      async pull(controller) {
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
        } else controller.enqueue(encoder.encode(printEvent(found.value)));
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
