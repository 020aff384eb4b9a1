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

/**
 * Sends a request. Rejects with `network` if the gateway can't be reached or breaks off, with a `GatewayRefusal` if it says no, and
 * with `interrupted` when the signal is aborted.
 */
export async function openAnswer(
  { base, token }: GatewayAddress,
  path: string,
  options: RequestOptions = {},
): Promise<Response> {
  const { body, signal, timeoutMs = usualTimeoutMs } = options;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  let response: Response;
  try {
    response = await fetch(base + path, {
      method: options.method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The token is for this gateway, and not for whomever it points to.
      redirect: 'error',
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
    });
  } catch (error) {
    throw unreachable(base, late.signal.aborted ? `no answer within ${timeoutMs / 1000} s` : error, signal);
  } finally {
    clearTimeout(timer);
  }
  if (!response.ok) throw await refusal(response, base);
  return response;
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

/** What `fetch` rejects with says "fetch failed", and its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? reasonOf(cause) : error.message;
}

async function refusal(response: Response, base: string): Promise<GatewayRefusal> {
  const { status, headers } = response;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : undefined;
  const text = await beginningOf(response);
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

async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
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
