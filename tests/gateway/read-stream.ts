import { onTestFinished } from 'vitest';
import type { Client } from './stage.js';

export interface Frame {
  /** Undefined for a ChatEvent. */
  readonly event?: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into it
  readonly data: any;
}

export interface Stream {
  readonly status: number;
  readonly headers: Headers;
  readonly frames: readonly Frame[];
  /** True when the server has ended it. */
  readonly ended: boolean;
  close(): void;
}

/** Reads server-sent events into `frames`, in the background. */
export async function openStream(
  client: Client,
  path: string,
  headers: Record<string, string> = {},
): Promise<Stream> {
  const { host, port } = client.gateway.address;
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const response = await fetch(`http://${host}:${port}${path}`, {
    headers: { authorization: 'Bearer a-token-for-the-tests', ...headers },
    signal: leave.signal,
  });
  const frames: Frame[] = [];
  const stream = { status: response.status, headers: response.headers, frames, ended: false };
  void (async () => {
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const frame = parseFrame(block);
        if (frame !== undefined) frames.push(frame);
      }
    }
    stream.ended = true;
  })().catch(() => undefined);
  return Object.assign(stream, { close: () => leave.abort() });
}

export function parseFrame(block: string): Frame | undefined {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const [event, id] = [fields.get('event'), fields.get('id')];
  return {
    ...(event === undefined ? {} : { event }),
    ...(id === undefined ? {} : { id }),
    data: JSON.parse(data),
  };
}

/** The text that the agent has said in these frames. */
export function textOf(frames: readonly Frame[]): string {
  return frames
    .filter(({ event, data }) => event === undefined && data.type === 'text')
    .map(({ data }) => data.text)
    .join('');
}
