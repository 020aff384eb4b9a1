import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';
import type { GatewayAddress } from './find-gateway.js';

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The time until the headers of the answer are there. */
  readonly timeoutMs?: number | undefined;
}

/** The gateway was reached, and said no. */
export class GatewayRefusal extends TurnoutError {
  readonly status: number;
  /** The time after which it may say yes, if it has told one. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, message: string, retryAfterMs: number | undefined, hint?: string) {
    super(codeOf(status), message, { hint });
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** True if the same request may succeed later. */
  get mayPass(): boolean {
    return this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

const usualTimeoutMs = 30_000;

/** The headers are there, and the rest comes. */
export interface GatewayAnswer {
  readonly status: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Sends a request over a connection of its own. Rejects with `network` if the gateway can't be reached, with a `GatewayRefusal` if
 * it says no, and with `interrupted` when the signal is aborted. Not by `fetch`: to load it takes longer than most of these
 * commands, and its connections outlive them. A redirect is an answer like another: the token is for this gateway alone.
 */
export async function openAnswer(
  { base, token }: GatewayAddress,
  path: string,
  options: RequestOptions = {},
): Promise<GatewayAnswer> {
  const { signal, timeoutMs = usualTimeoutMs } = options;
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const url = new URL(base + path);
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  let answer: IncomingMessage;
  try {
    answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(url, {
        method: options.method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...options.headers,
        },
        agent: false,
        ...(signal === undefined ? {} : { signal }),
      });
      const timer = setTimeout(
        () => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      sent.once('close', () => clearTimeout(timer));
      sent.once('response', (response) => {
        clearTimeout(timer);
        resolve(response);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  } catch (error) {
    throw unreachable(base, error, signal);
  }
  const { statusCode: status = 0 } = answer;
  if (status < 200 || status > 299) throw await refusal(answer, base);
  return { status, chunks: answer };
}

/** An answer of the gateway's has some megabytes at most. */
const longestAnswer = 64 * 1024 * 1024;

export async function readText({ chunks }: Pick<GatewayAnswer, 'chunks'>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > longestAnswer)
      throw new TurnoutError('parse', 'The gateway sent an answer that does not end.');
    pieces.push(chunk);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** A break in mid-answer counts as not reached: the request may be sent again. */
export function unreachable(base: string, cause: unknown, signal?: AbortSignal | undefined): TurnoutError {
  if (cause instanceof TurnoutError) return cause;
  if (signal?.aborted) return new TurnoutError('interrupted', 'The request was given up.');
  return new TurnoutError('network', `The gateway at ${base} can't be reached: ${reasonOf(cause)}.`, {
    hint: 'Is it running? `turnout gateway` starts it.',
    cause,
  });
}

/** A name with several addresses fails with the errors of all of them. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

async function refusal(answer: IncomingMessage, base: string): Promise<GatewayRefusal> {
  const { statusCode: status = 0, headers } = answer;
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : undefined;
  const text = await beginningOf(answer);
  if (status === 401)
    return new GatewayRefusal(
      status,
      `The gateway at ${base} does not take the token.`,
      retryAfterMs,
      'Its own is in http-token of its TURNOUT_HOME, unless it was started with HTTP_TOKEN.',
    );
  const told = messageIn(text);
  if (told !== undefined) return new GatewayRefusal(status, told, retryAfterMs);
  return new GatewayRefusal(
    status,
    `${base} answered with HTTP ${status}.`,
    retryAfterMs,
    'Is it a gateway of Turnout that answers there?',
  );
}

function messageIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : undefined;
  } catch {
    return undefined;
  }
}

const longestProblem = 64 * 1024;

async function beginningOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of answer.setEncoding('utf8')) {
      text += chunk;
      if (text.length > longestProblem) break;
    }
  } catch {
    // The status alone will do.
  }
  return text;
}

function codeOf(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429 || status === 503) return 'overloaded';
  return status >= 500 ? 'unknown' : 'bad_request';
}
