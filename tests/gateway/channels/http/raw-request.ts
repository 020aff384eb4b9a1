import { type IncomingHttpHeaders, request } from 'node:http';
import type { Running } from './fake-gateway.js';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it likes
  readonly json: any;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Sends a request with exactly these headers, unlike fetch, and with the path as it is written. */
export function send({ channel }: Running, path: string, sent: RawRequest = {}): Promise<RawAnswer> {
  const { host, port } = channel.address;
  const { method = 'GET', headers = {}, body } = sent;
  return new Promise((resolve, reject) => {
    const outgoing = request({ host, port, path, method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const content = Buffer.concat(chunks);
        const isJson = answer.headers['content-type'] === 'application/json' && content.length > 0;
        const json = isJson ? JSON.parse(content.toString()) : undefined;
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: content, json });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
