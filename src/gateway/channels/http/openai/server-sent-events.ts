/** Proxies and clients end a connection on which nothing comes for too long. */
const keepAliveMs = 15_000;
const comment = ': keep-alive\n\n';

export interface SentEvent {
  readonly event?: string | undefined;
  /** Sent as it is if it is a text, else as JSON. */
  readonly data: unknown;
}

/**
 * A stream of server-sent events. It is read no further than its client reads: a slow one costs no memory. When the client has
 * gone, the events are left; those that wait for something have to notice it by themselves.
 */
export function streamEvents(
  events: AsyncGenerator<SentEvent>,
  everyMs: number = keepAliveMs,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<SentEvent>> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        next ??= events.next();
        const result = await orSilence(next, everyMs);
        if (result === undefined) return controller.enqueue(encoder.encode(comment));
        next = undefined;
        if (result.done === true) return controller.close();
        controller.enqueue(encoder.encode(printEvent(result.value)));
      },
      // The client has gone. Events that wait for nothing end at once, the others when they notice it.
      cancel: () => void events.return(undefined).catch(() => undefined),
    },
    { highWaterMark: 0 },
  );
}

function printEvent({ event, data }: SentEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** Undefined if there is nothing after `ms`. */
async function orSilence<T>(next: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}
