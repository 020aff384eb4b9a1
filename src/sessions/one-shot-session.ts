import { resolve } from 'node:path';
import { withEvents } from '../backends/one-shot/with-events.js';
import { noSuchRequest } from '../backends/output/permission-request.js';
import { type AnyBackendName, createBackend } from '../backends/registry.js';
import type { EventBackend, RunRequest } from '../backends/types.js';
import type { Clocks } from '../config/limits.js';
import { defaultClocks } from '../config/limits.js';
import { type ChatEvent, errorEvent, interruptedEvent, isTerminal } from '../core/chat-event.js';
import { failureEvent, interruptedError, TurnoutError } from '../core/errors.js';
import { flattenBatches } from '../core/flatten-batches.js';
import type { PermissionMode } from '../core/permission-mode.js';
import { Alarm } from './alarm.js';
import { Cancellation } from './cancellation.js';
import { checkModel, checkSend } from './check-session-options.js';
import type { TurnLocks } from './turn-lock.js';
import type { BackendSession, CompleteSessionOptions, SendOptions } from './types.js';
import { Watchdog } from './watchdog.js';
import { neverStored, unsupported } from './wording.js';

/** A session in which each turn starts the CLI again and resumes by id: slower, and otherwise the same. */
export class OneShotSession implements BackendSession {
  readonly live = false;
  readonly isOpenInProcess = false;
  readonly backend: AnyBackendName;
  readonly cwd: string;
  readonly #adapter: EventBackend;
  readonly #locks: TurnLocks;
  readonly #options: CompleteSessionOptions;
  readonly #clocks: Clocks;
  #request: Omit<RunRequest, 'prompt'>;
  /** The running turn, then the turns that wait for it, in their order. */
  readonly #sends = new Set<Cancellation>();
  /** Gives back the lock of the running turn. */
  #release: (() => void) | undefined;
  /** The events of the last turn, which end with its process. */
  #process: AsyncIterator<ChatEvent> | undefined;
  /** True if there is a session to resume: the caller gave its id, or a turn was completed. */
  #proven: boolean;
  #closed = false;
  readonly #alarm = new Alarm();
  readonly #ownKey = `new-${Math.random().toString(36).slice(2)}`;

  readonly #onClose: () => void;
  readonly #onSession: (sessionId: string) => void;

  constructor(
    options: CompleteSessionOptions,
    locks: TurnLocks,
    tell: { readonly onClose: () => void; readonly onSession: (sessionId: string) => void },
  ) {
    this.#onClose = tell.onClose;
    this.#onSession = tell.onSession;
    this.backend = options.backend;
    this.cwd = resolve(options.cwd ?? options.config.workingDir);
    this.#options = options;
    const { config, adapter = createBackend(options.backend, config) } = options;
    this.#adapter = withEvents(adapter, { cwd: config.workingDir, model: config.model });
    this.#clocks = clocksOf(options, this.#adapter);
    this.#locks = locks;
    this.#proven = options.sessionId !== undefined;
    this.#request = { ...requestOf(options), cwd: this.cwd, timeoutMs: this.#clocks.turnMs };
  }

  get sessionId(): string | undefined {
    return this.#request.sessionId;
  }

  send(prompt: string, options: SendOptions = {}): AsyncIterable<ChatEvent> {
    checkSend(prompt, options);
    const cancellation = new Cancellation(options.signal);
    return flattenBatches(this.#send(prompt, options, cancellation), () => cancellation.abort());
  }

  async *#send(
    prompt: string,
    options: SendOptions,
    cancellation: Cancellation,
  ): AsyncGenerator<readonly ChatEvent[]> {
    if (this.#closed) {
      yield [closed];
      return;
    }
    this.#sends.add(cancellation);
    let release: (() => void) | undefined;
    try {
      release = await this.#locks.acquire(this.#lockKey(), cancellation.signal).catch(() => undefined);
      this.#release = release ?? this.#release;
      if (release === undefined) yield [failureEvent(cancellation.reason ?? interruptedError())];
      else if (this.#closed) {
        release();
        yield [closed];
      } else yield* this.#turn(prompt, options, cancellation);
    } finally {
      this.#sends.delete(cancellation);
      cancellation.release();
      release?.();
    }
  }

  /**
   * Runs one turn. If a clock ends it, its process is ended too. If the session may never have been stored
   * and the CLI does not find it, a new session is begun.
   */
  async *#turn(
    prompt: string,
    options: SendOptions,
    cancellation: Cancellation,
  ): AsyncGenerator<readonly ChatEvent[]> {
    const { turnMs: _, ...clocks } = this.#clocks;
    // The backend itself keeps the clock of the whole turn: it knows an answer that came before the CLI hung.
    const watchdog = new Watchdog({ ...clocks, turnMs: 0 }, this.#alarm, ({ message }) => {
      if (!cancellation.aborted) cancellation.abort(new TurnoutError('timeout', message));
    });
    try {
      for (let state: 'to_start' | 'running' | 'ended' = 'to_start'; state !== 'ended'; ) {
        const mayStartFresh = !this.#proven && this.sessionId !== undefined;
        let begun = false;
        state = 'running';
        for await (const event of this.#start(prompt, options, cancellation.signal, watchdog)) {
          if (mayStartFresh && !begun && event.type === 'error' && event.code === 'session_not_found') {
            this.#become(undefined);
            watchdog.pause();
            yield [neverStored];
            watchdog.resume();
            state = 'to_start';
            break;
          }
          begun ||= event.type === 'text' || event.type === 'thinking' || event.type === 'tool_start';
          this.#learn(event);
          const shown = cancellation.reason === undefined ? event : asStopped(event, cancellation.reason);
          watchdog.pause();
          watchdog.see(shown);
          if (isTerminal(shown)) state = 'ended';
          yield [shown];
          watchdog.resume();
        }
        // The session was closed while the reader was busy with an event.
        if (state === 'running') {
          yield [interruptedEvent];
          return;
        }
      }
    } finally {
      watchdog.stop();
    }
  }

  #start(
    prompt: string,
    { stdoutFile, onSpawn, conversation = this.#ownKey }: SendOptions,
    signal: AbortSignal,
    watchdog: Watchdog,
  ): AsyncIterable<ChatEvent> {
    const { trace } = this.#options;
    const onAnswered = (answered: boolean) => watchdog.expectSilence(answered);
    const options = { signal, trace, stdoutFile, conversation, onAnswered, onSpawn };
    const process = this.#adapter.run({ ...this.#request, prompt }, options)[Symbol.asyncIterator]();
    this.#process = process;
    return { [Symbol.asyncIterator]: () => process };
  }

  #learn(event: ChatEvent): void {
    if (event.type === 'complete') this.#proven = true;
    if (event.type !== 'session') return;
    // A caller who knows the new id waits for this turn as well.
    this.#become(event.sessionId);
    this.#onSession(event.sessionId);
  }

  async interrupt(): Promise<void> {
    const [current] = this.#sends;
    current?.abort();
  }

  #become(sessionId: string | undefined): void {
    const before = this.#lockKey();
    this.#request = { ...this.#request, sessionId };
    this.#locks.alias(before, this.#lockKey());
  }

  #lockKey(): string {
    return `${this.backend} ${this.sessionId ?? this.#ownKey}`;
  }

  async answerPermission(id: string): Promise<void> {
    throw noSuchRequest(id);
  }

  /** Always false: a one-shot CLI reads its input once. */
  async steer(): Promise<boolean> {
    return false;
  }

  async setModel(model: string): Promise<void> {
    checkModel(model);
    this.#request = { ...this.#request, model };
  }

  async setPermissionMode(permissionMode: PermissionMode): Promise<void> {
    if (!this.#adapter.capabilities.permissionModes.includes(permissionMode)) {
      throw unsupported(this.backend, `the permission mode "${permissionMode}" in one-shot turns`);
    }
    this.#request = { ...this.#request, permissionMode };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const send of this.#sends) send.abort();
    // Resolves when the process is gone, even if nobody reads its events.
    await this.#process?.return?.();
    // A reader that does not read on would keep the session's lock for ever.
    this.#release?.();
    this.#alarm.cancel();
    this.#onClose();
  }
}

const closed = errorEvent('bad_request', 'The session was closed.');

/** Leaves out the options of the session that are no options of a turn. */
export function requestOf(options: CompleteSessionOptions): Omit<RunRequest, 'prompt'> {
  const { backend: _, config: _c, adapter: _a, live: _l, clocks: _k, trace: _t, ...others } = options;
  const { agentHooks: _h, heldBy: _p, ...request } = others;
  return request;
}

/**
 * A CLI that prints a message, or a tool, only when it is over would be ended for its model's silence while it works: the
 * silence clock runs only where the CLI prints both thinking and text as they come.
 */
function clocksOf(options: CompleteSessionOptions, { capabilities }: EventBackend): Clocks {
  const { config, clocks, stream = true } = options;
  const all = { ...defaultClocks, turnMs: config.queryTimeoutMs, ...clocks };
  const { textDeltas, thinking, alwaysStreams = false } = capabilities;
  return textDeltas && thinking && (stream || alwaysStreams) ? all : { ...all, modelSilenceMs: 0 };
}

/**
 * Changes an event of a turn that was stopped: the ending names the reason of the stop, and a tool that it
 * ended has failed.
 */
function asStopped(event: ChatEvent, { code, message }: TurnoutError): ChatEvent {
  if (event.type === 'tool_end') return { ...event, isError: true };
  return event.type === 'error' && event.code === 'interrupted' ? errorEvent(code, message) : event;
}
