import { type ErrorEvent, errorEvent, interruptedEvent, timeoutMessage } from '../../core/chat-event.js';
import { describeThrown } from '../../core/describe-thrown.js';
import { isTimeout } from '../../core/errors.js';
import { type Deadline, setDeadline } from '../../core/wait.js';
import type { BackendEventResult } from '../types.js';

/** The `execute` of each session, or conversation, that has not settled. */
export type Unsettled = Map<string, Promise<unknown>>;

export type Step =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'result'; readonly result: BackendEventResult }
  | ErrorEvent;

/** The most characters that are kept for a reader whom the adapter does not wait for. */
const maxUnread = 32 * 1024 ** 2;

/** One `execute`, as what it has said and nobody has read, and its end. */
export class Execution {
  readonly #name: string;
  readonly #stopped: AbortSignal;
  readonly #limit: Deadline | undefined;
  #unread = '';
  /** Resolve when what was said is read. */
  #waiting: (() => void)[] = [];
  #shown: (() => void)[] = [];
  #state: 'waiting' | 'running' | 'left' = 'waiting';
  #end: Exclude<Step, { type: 'text' }> | undefined;
  #wake = () => {};

  constructor(name: string, limitMs: number, stopped: AbortSignal) {
    this.#name = name;
    this.#stopped = stopped;
    if (limitMs > 0) this.#limit = setDeadline(limitMs, this.#onTimeout);
    stopped.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = () => {
    if (isTimeout(this.#stopped)) this.#onTimeout();
    else if (this.#end?.type !== 'error') this.#stop(interruptedEvent);
  };

  readonly #onTimeout = () => {
    // A result that came in time stays one, however slow its reader is.
    if (this.#end !== undefined) return;
    if (this.#state === 'waiting') this.#stop(errorEvent('timeout', stillBusy(this.#name)));
    // It goes on, and may still do what was asked: to ask it again may do that twice.
    else this.#stop({ ...errorEvent('timeout', timeoutMessage), retryable: false });
  };

  /** Resolves when the piece was read, so that an adapter that awaits it has a slow reader's pace. */
  say(text: string): Promise<void> {
    if (this.#state === 'left' || this.#end !== undefined) return Promise.resolve();
    this.#unread += text;
    if (this.#unread.length > maxUnread) {
      const message = `${this.#name} has said more than ${maxUnread} characters without waiting for its reader.`;
      this.#stop(errorEvent('unknown', message));
      return Promise.resolve();
    }
    return new Promise((taken) => {
      this.#waiting.push(taken);
      this.#wake();
    });
  }

  /** Runs it when the last ones with any of these keys have settled, unless the turn has ended by then. */
  async follow(
    unsettled: Unsettled,
    keys: readonly (string | undefined)[],
    execute: () => Promise<BackendEventResult>,
  ): Promise<void> {
    const own = keys.filter((key) => key !== undefined);
    const earlier = own.map((key) => unsettled.get(key));
    const settled = Promise.all(earlier).then(() => this.#run(execute));
    for (const key of own) unsettled.set(key, settled);
    await settled;
    for (const key of own) if (unsettled.get(key) === settled) unsettled.delete(key);
  }

  async #run(execute: () => Promise<BackendEventResult>): Promise<void> {
    if (this.#end !== undefined || this.#state === 'left') return;
    this.#state = 'running';
    try {
      const result: unknown = await execute();
      this.#end ??= isResult(result) ? { type: 'result', result } : wrongAdapter(this.#name, result);
    } catch (error) {
      this.#end ??= errorEvent('unknown', describeThrown(error));
    }
    this.#wake();
  }

  /** Returns the text that was not read yet, or the end when there is none left. */
  async next(): Promise<Step> {
    for (const taken of this.#shown) taken();
    this.#shown = [];
    for (;;) {
      if (this.#waiting.length > 0) {
        const text = this.#unread;
        this.#unread = '';
        this.#shown = this.#waiting;
        this.#waiting = [];
        return { type: 'text', text };
      }
      if (this.#end !== undefined) return this.#end;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }

  leave(): void {
    this.#state = 'left';
    this.#limit?.cancel();
    this.#stopped.removeEventListener('abort', this.#onAbort);
    this.#letGo();
  }

  /** Ends the turn at once: what was said and not read is dropped. */
  #stop(end: ErrorEvent): void {
    this.#end = end;
    this.#letGo();
    this.#wake();
  }

  #letGo(): void {
    for (const taken of [...this.#shown, ...this.#waiting]) taken();
    [this.#shown, this.#waiting, this.#unread] = [[], [], ''];
  }
}

function isResult(result: unknown): result is BackendEventResult {
  if (typeof result !== 'object' || result === null) return false;
  const { responseText, sessionId } = result as Record<string, unknown>;
  return [responseText, sessionId].every((text) => text === undefined || typeof text === 'string');
}

function wrongAdapter(name: string, result: unknown): ErrorEvent {
  const isObject = typeof result === 'object' && result !== null;
  const what = isObject ? 'a responseText or a sessionId that is no string' : String(result);
  return errorEvent('unknown', `The adapter ${name} is wrong: its execute has resolved to ${what}.`);
}

function stillBusy(name: string): string {
  return `${name} is still busy with an earlier turn of this session: it was not asked.`;
}
