import { randomUUID } from 'node:crypto';
import type { Output } from '../output.js';
import { type Fields, fieldsOf } from './read-messages.js';

export type Reply =
  | { readonly type: 'answered'; readonly answer: Fields }
  | { readonly type: 'failed'; readonly error: string }
  /** The reply if the turn was stopped before an answer came. */
  | { readonly type: 'stopped' };

/** The client at the other end of stdin and stdout, which can be asked questions too. */
export class Client {
  readonly #output: Output;
  readonly #pending = new Map<string, (reply: Reply) => void>();
  #closed = false;

  constructor(output: Output) {
    this.#output = output;
  }

  async ask(request: Fields, signal: AbortSignal): Promise<Reply> {
    if (signal.aborted) return { type: 'stopped' };
    if (this.#closed) return noAnswer;
    const id = randomUUID();
    const reply = new Promise<Reply>((resolve) => this.#pending.set(id, resolve));
    let cancelled: Promise<void> | undefined;
    // The cancellation is sent before the interrupt that caused it is answered.
    const cancel = () => {
      if (!this.#finish(id, { type: 'stopped' })) return;
      cancelled = this.#output.line({ type: 'control_cancel_request', request_id: id });
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await this.#output.line({ type: 'control_request', request_id: id, request });
      return await reply;
    } finally {
      signal.removeEventListener('abort', cancel);
      await cancelled;
    }
  }

  /** Sends a request without waiting for an answer. */
  async tell(request: Fields): Promise<void> {
    await this.#output.line({ type: 'control_request', request_id: randomUUID(), request });
  }

  /** Takes an answer. An answer to a question that nobody asked, or no longer asks, is ignored. */
  settle(response: Fields): void {
    const id = String(response['request_id'] ?? '');
    this.#finish(
      id,
      response['subtype'] === 'success'
        ? { type: 'answered', answer: fieldsOf(response['response']) }
        : { type: 'failed', error: `Error: ${String(response['error'] ?? 'unknown error')}` },
    );
  }

  /** Ends all pending questions without an answer: stdin has ended. */
  close(): void {
    this.#closed = true;
    for (const id of [...this.#pending.keys()]) this.#finish(id, noAnswer);
  }

  #finish(id: string, reply: Reply): boolean {
    const resolve = this.#pending.get(id);
    this.#pending.delete(id);
    resolve?.(reply);
    return resolve !== undefined;
  }
}

const noAnswer: Reply = {
  type: 'failed',
  error: 'AbortError: Tool permission stream closed before response received',
};
