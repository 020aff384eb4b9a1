import { request as httpRequest, type IncomingMessage } from 'node:http';
import { TurnoutError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json.js';
import { setDeadline } from '../../../core/wait.js';

export interface HttpAnswer {
  readonly status: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly directory?: string | undefined;
  readonly body?: unknown;
  /** 0 waits as long as it takes. */
  readonly timeoutMs?: number | undefined;
}

/**
 * The API of one `opencode serve`. Every call has a connection of its own: on loopback that costs less than a
 * millisecond, and a call never meets a connection that the server has just given up.
 */
export class OpenCodeHttp {
  readonly #url: URL;
  readonly #authorization: string;

  constructor(url: string, password: string) {
    this.#url = new URL(url);
    this.#authorization = `Basic ${Buffer.from(`${serverUser}:${password}`).toString('base64')}`;
  }

  /** Rejects with a TurnoutError when there is no answer; an HTTP error is an answer. */
  async call(call: HttpCall): Promise<HttpAnswer> {
    const timeoutMs = call.timeoutMs ?? defaultTimeoutMs;
    const stop = new AbortController();
    const deadline = timeoutMs > 0 ? setDeadline(timeoutMs, () => stop.abort()) : undefined;
    try {
      const response = await this.open(call, stop.signal);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      return { status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString('utf8')) };
    } catch (cause) {
      if (cause instanceof TurnoutError) throw cause;
      const what = `${call.method} ${call.path.split('?', 1)[0]}`;
      if (stop.signal.aborted) {
        throw new TurnoutError('timeout', `OpenCode did not answer ${what} within ${timeoutMs} ms.`, {
          cause,
        });
      }
      throw new TurnoutError('network', `The connection to OpenCode broke (${what}): ${String(cause)}`, {
        cause,
      });
    } finally {
      deadline?.cancel();
    }
  }

  /** Resolves to the response when its head has come. */
  open(call: HttpCall, signal: AbortSignal): Promise<IncomingMessage> {
    const url = new URL(call.path, this.#url);
    if (call.directory !== undefined) url.searchParams.set('directory', call.directory);
    const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        url,
        {
          method: call.method,
          agent: false,
          signal,
          headers: {
            authorization: this.#authorization,
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': body.length }),
          },
        },
        resolve,
      );
      request.once('error', reject);
      request.end(body);
    });
  }
}

export const serverUser = 'opencode';
const defaultTimeoutMs = 30_000;

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
