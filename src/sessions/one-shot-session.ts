import { resolve } from 'node:path';
import { type BackendName, createBackend } from '../backends/registry.js';
import type { BackendAdapter, PermissionMode, RunRequest } from '../backends/types.js';
import { type ChatEvent, errorEvent } from '../core/chat-event.js';
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
      yield errorEvent('bad_request', 'The session was closed.');
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
      for await (const event of this.#adapter.run(
        { ...this.#request, prompt },
        { signal: stop, trace: this.#options.trace },
      )) {
        if (event.type === 'session') this.#isCalled(event.sessionId);
        yield event;
      }
    } finally {
      this.#running = undefined;
      release();
    }
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
    this.#onClose();
  }
}
