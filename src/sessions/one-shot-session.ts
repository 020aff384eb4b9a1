import { resolve } from 'node:path';
import { type BackendName, createBackend } from '../backends/registry.js';
import type { BackendAdapter, PermissionMode, RunRequest } from '../backends/types.js';
import { type ChatEvent, errorEvent, notice } from '../core/chat-event.js';
import { noSuchRequest, unsupported } from './live-session.js';
import type { TurnLocks } from './turn-lock.js';
import type { BackendSession, SendOptions, SessionOptions } from './types.js';

/** A session in which each turn starts the CLI anew and resumes by id: slower, and otherwise the same. */
export class OneShotSession implements BackendSession {
  readonly live = false;
  readonly backend: BackendName;
  readonly cwd: string;
  readonly #adapter: BackendAdapter;
  readonly #locks: TurnLocks;
  readonly #options: SessionOptions;
  #request: Omit<RunRequest, 'prompt'>;
  #running: AbortController | undefined;
  /** The last turn's events, which end with its process. */
  #process: AsyncIterator<ChatEvent> | undefined;
  /** There is something to resume: the caller said so, or a turn was completed. */
  #proven: boolean;
  #closed = false;
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
      timeoutMs: options.clocks?.turnMs,
    };
  }

  get sessionId(): string | undefined {
    return this.#request.sessionId;
  }

  async *send(prompt: string, { signal }: SendOptions = {}): AsyncGenerator<ChatEvent> {
    if (this.#closed) {
      yield closed;
      return;
    }
    let release: () => void;
    try {
      release = await this.#locks.acquire(this.#lockKey(), signal);
    } catch {
      yield errorEvent('interrupted', 'Interrupted');
      return;
    }
    const running = new AbortController();
    this.#running = running;
    const stop = signal === undefined ? running.signal : AbortSignal.any([signal, running.signal]);
    try {
      if (this.#closed) yield closed;
      else yield* this.#turn(prompt, stop);
    } finally {
      this.#running = undefined;
      release();
    }
  }

  /** A session that may never have been stored begins anew where it was not. */
  async *#turn(prompt: string, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    const { sessionId } = this.#request;
    let begun = false;
    for await (const event of this.#run(prompt, signal)) {
      const unknown = event.type === 'error' && event.code === 'session_not_found';
      if (unknown && !begun && !this.#proven && sessionId !== undefined) {
        this.#request = { ...this.#request, sessionId: undefined };
        yield notice('info', 'The session was never stored: a new one was begun');
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
    if (!ended) yield errorEvent('interrupted', 'Interrupted');
  }

  async interrupt(): Promise<void> {
    this.#running?.abort();
  }

  /** Whoever knows the id waits for this turn all the same. */
  #isCalled(sessionId: string): void {
    const before = this.#lockKey();
    this.#request = { ...this.#request, sessionId };
    this.#locks.alias(before, this.#lockKey());
    this.#onSession(sessionId);
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
    this.#onClose();
  }
}

const closed = errorEvent('bad_request', 'The session was closed.');
