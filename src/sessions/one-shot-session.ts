import { type BackendName, createBackend } from '../backends/registry.js';
import type { BackendAdapter, PermissionMode, RunRequest } from '../backends/types.js';
import { type ChatEvent, errorEvent } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';
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

  constructor(options: SessionOptions, locks: TurnLocks, onClose: () => void) {
    this.#onClose = onClose;
    this.backend = options.backend;
    this.cwd = options.cwd ?? options.config.workingDir;
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
    if (this.#closed) throw new TurnoutError('bad_request', 'The session was closed.');
    let release: () => void;
    try {
      release = await this.#locks.acquire(`${this.backend} ${this.sessionId ?? this.#ownKey}`, signal);
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
        if (event.type === 'session') this.#request = { ...this.#request, sessionId: event.sessionId };
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
