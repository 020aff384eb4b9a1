import { resolve } from 'node:path';
import { type BackendName, createBackend } from '../backends/registry.js';
import type { BackendAdapter, RunRequest } from '../backends/types.js';
import type { Clocks } from '../config/limits.js';
import { defaultClocks } from '../config/limits.js';
import { type ChatEvent, errorEvent, interruptedEvent } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';
import { flattenBatches } from '../core/flatten-batches.js';
import type { PermissionMode } from '../core/permission-mode.js';
import { Alarm } from './alarm.js';
import { Cancellation } from './cancellation.js';
import type { TurnLocks } from './turn-lock.js';
import type { BackendSession, SendOptions, SessionOptions } from './types.js';
import { Watchdog } from './watchdog.js';
import { neverStored, noSuchRequest, unsupported } from './wording.js';

/** A session in which each turn starts the CLI anew and resumes by id: slower, and otherwise the same. */
export class OneShotSession implements BackendSession {
  readonly live = false;
  readonly backend: BackendName;
  readonly cwd: string;
  readonly #adapter: BackendAdapter;
  readonly #locks: TurnLocks;
  readonly #options: SessionOptions;
  readonly #clocks: Clocks;
  #request: Omit<RunRequest, 'prompt'>;
  /** The running turn, and those that wait for theirs, in this order. */
  readonly #sends = new Set<Cancellation>();
  /** The last turn's events, which end with its process. */
  #process: AsyncIterator<ChatEvent> | undefined;
  /** There is something to resume: the caller said so, or a turn was completed. */
  #proven: boolean;
  #closed = false;
  readonly #alarm = new Alarm();
  readonly #ownKey = `new-${Math.random().toString(36).slice(2)}`;

  readonly #onClose: () => void;
  readonly #onSession: (sessionId: string) => void;

  constructor(
    options: SessionOptions,
    locks: TurnLocks,
    tell: { readonly onClose: () => void; readonly onSession: (sessionId: string) => void },
  ) {
    this.#onClose = tell.onClose;
    this.#onSession = tell.onSession;
    this.backend = options.backend;
    this.cwd = resolve(options.cwd ?? options.config.workingDir);
    this.#options = options;
    this.#adapter = createBackend(options.backend, options.config);
    this.#clocks = clocksOf(options, this.#adapter);
    this.#locks = locks;
    this.#proven = options.sessionId !== undefined;
    const {
      sessionId,
      model,
      systemPrompt,
      permissionMode,
      allowedTools,
      disallowedTools,
      maxTurns,
      mcpConfig,
    } = options;
    this.#request = {
      cwd: this.cwd,
      sessionId,
      model,
      systemPrompt,
      permissionMode,
      allowedTools,
      disallowedTools,
      maxTurns,
      mcpConfig,
      // The turn's clock is one of ours.
      timeoutMs: 0,
    };
  }

  get sessionId(): string | undefined {
    return this.#request.sessionId;
  }

  send(prompt: string, { signal }: SendOptions = {}): AsyncIterable<ChatEvent> {
    const cancellation = new Cancellation(signal);
    return flattenBatches(this.#send(prompt, cancellation), () => cancellation.abort());
  }

  async *#send(prompt: string, cancellation: Cancellation): AsyncGenerator<readonly ChatEvent[]> {
    if (this.#closed) {
      yield [closed];
      return;
    }
    this.#sends.add(cancellation);
    let release: (() => void) | undefined;
    try {
      release = await this.#locks.acquire(this.#lockKey(), cancellation.signal).catch(() => undefined);
      if (release === undefined) yield [interruptedEvent];
      else if (this.#closed) yield [closed];
      else yield* this.#watch(cancellation, this.#turn(prompt, cancellation.signal));
    } finally {
      this.#sends.delete(cancellation);
      release?.();
    }
  }

  /** What a clock ends, it ends by name, and with the process. */
  async *#watch(
    cancellation: Cancellation,
    turn: AsyncIterable<ChatEvent>,
  ): AsyncGenerator<readonly ChatEvent[]> {
    const watchdog = new Watchdog(this.#clocks, this.#alarm, ({ message }) => {
      if (!cancellation.aborted) cancellation.abort(new TurnoutError('timeout', message));
    });
    try {
      for await (const event of turn) {
        const told = cancellation.reason === undefined ? event : stopped(event, cancellation.reason);
        watchdog.pause();
        watchdog.see(told);
        yield [told];
        watchdog.resume();
      }
    } finally {
      watchdog.stop();
    }
  }

  /** A session that may never have been stored begins anew where it was not. */
  async *#turn(prompt: string, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    const { sessionId } = this.#request;
    let begun = false;
    for await (const event of this.#run(prompt, signal)) {
      const unknown = event.type === 'error' && event.code === 'session_not_found';
      if (unknown && !begun && !this.#proven && sessionId !== undefined) {
        this.#becomes(undefined);
        yield neverStored;
        yield* this.#run(prompt, signal);
        return;
      }
      begun ||= event.type === 'text' || event.type === 'thinking' || event.type === 'tool_start';
      yield event;
    }
  }

  async *#run(prompt: string, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    const turn = this.#adapter.run({ ...this.#request, prompt }, { signal, trace: this.#options.trace });
    const process = turn[Symbol.asyncIterator]();
    this.#process = process;
    let ended = false;
    for await (const event of { [Symbol.asyncIterator]: () => process }) {
      if (event.type === 'session') this.#isCalled(event.sessionId);
      if (event.type === 'complete') this.#proven = true;
      ended ||= event.type === 'complete' || event.type === 'error';
      yield event;
    }
    // Closed while the reader was busy with an event.
    if (!ended) yield interruptedEvent;
  }

  async interrupt(): Promise<void> {
    const [current] = this.#sends;
    current?.abort();
  }

  /** Whoever knows the id waits for this turn all the same. */
  #isCalled(sessionId: string): void {
    this.#becomes(sessionId);
    this.#onSession(sessionId);
  }

  #becomes(sessionId: string | undefined): void {
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

  /** It reads its input once. */
  async steer(): Promise<boolean> {
    return false;
  }

  async setModel(model: string): Promise<void> {
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
    await this.interrupt();
    // Resolves when the process is gone, whether or not anybody reads on.
    await this.#process?.return?.();
    this.#alarm.cancel();
    this.#onClose();
  }
}

const closed = errorEvent('bad_request', 'The session was closed.');

/**
 * The model's silence is told from its work only where the CLI prints both thinking and text as they come: by default no
 * clock of it runs for one that prints a message, or a tool, when it is over.
 */
function clocksOf({ config, clocks }: SessionOptions, { capabilities }: BackendAdapter): Clocks {
  const streams = capabilities.textDeltas && capabilities.thinking;
  const modelSilenceMs = streams ? defaultClocks.modelSilenceMs : 0;
  return { ...defaultClocks, modelSilenceMs, turnMs: config.queryTimeoutMs, ...clocks };
}

/** How an event reads once the turn was stopped: the end has the stop's name, and a tool that it ended has failed. */
function stopped(event: ChatEvent, { code, message }: TurnoutError): ChatEvent {
  if (event.type === 'tool_end') return { ...event, isError: true };
  return event.type === 'error' && event.code === 'interrupted' ? errorEvent(code, message) : event;
}
