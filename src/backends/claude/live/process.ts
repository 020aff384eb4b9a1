import { TurnoutError } from '../../../core/errors.js';
import { late, within } from '../../../core/wait.js';
import type { ProcessExit } from '../../../process/start-process.js';
import type { LiveProcess, LiveSession, LiveSessionOptions } from '../../live/types.js';
import { userMessage } from '../arguments.js';
import { ClaudeSession } from './session.js';
import { answerMs, type ClaudeConnection, crashedError } from './transport.js';
import type { ClaudeTurns } from './turns.js';

/** A process that holds one session at a time: a further one begins with `/clear`, in some 30 ms. */
export class ClaudeProcess implements LiveProcess {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  readonly #connection: ClaudeConnection;
  readonly #turns: ClaudeTurns;
  readonly #startOptions: LiveSessionOptions;
  readonly #key: (options: LiveSessionOptions) => string;
  /** The last session, open or not. */
  #session: ClaudeSession | undefined;

  constructor(
    connection: ClaudeConnection,
    turns: ClaudeTurns,
    startOptions: LiveSessionOptions,
    key: (options: LiveSessionOptions) => string,
  ) {
    this.#connection = connection;
    this.#turns = turns;
    this.#startOptions = startOptions;
    this.#key = key;
    this.pid = connection.pid;
    this.exited = connection.exited;
  }

  get version(): string | undefined {
    return this.#turns.version;
  }

  holds(sessionId: string): boolean {
    return this.#session?.isOpen === false && this.#turns.sessionId === sessionId;
  }

  async open(options: LiveSessionOptions): Promise<LiveSession> {
    const { ended, label } = this.#connection;
    if (ended !== undefined) throw crashedError(ended);
    if (this.#session?.isOpen) {
      throw new TurnoutError(
        'bad_request',
        `A ${label} process holds one session at a time: close it first.`,
      );
    }
    if (this.#key(options) !== this.#key(this.#startOptions)) {
      throw new TurnoutError('bad_request', `The session needs a ${label} process with other start options.`);
    }
    const current = this.#turns.sessionId;
    if (options.sessionId !== undefined && options.sessionId !== current) {
      throw new TurnoutError('unsupported', `A running ${label} process can’t resume another session.`, {
        hint: 'Start a process for it.',
      });
    }
    const isUnused = current === undefined && this.#session === undefined;
    await this.#session?.restoreSettings();
    if (options.sessionId === undefined && !isUnused) await this.#clear();
    this.#session = new ClaudeSession(this.#connection, this.#turns, this.#startOptions);
    return this.#session;
  }

  async end(): Promise<void> {
    await this.#connection.end();
  }

  /** Begins a new session, in which nothing of the one before is left. */
  async #clear(): Promise<void> {
    try {
      if ((await within(answerMs, this.#runClear())) === late)
        throw new TurnoutError(
          'timeout',
          `${this.#connection.label} did not get ready within ${answerMs / 1000} s.`,
        );
      this.#turns.startNewSession();
    } catch (error) {
      // Which session the process now holds can't be known.
      await this.end();
      throw error;
    }
  }

  async #runClear(): Promise<void> {
    const before = this.#turns.sessionId;
    this.#turns.expectNewSession();
    const { text_not_typed: _, ...typed } = userMessage('/clear');
    for await (const event of this.#turns.run(typed)) {
      if (event.type === 'ending' && event.ending.type === 'failed') {
        throw new TurnoutError(event.ending.code ?? 'unknown', event.ending.message);
      }
    }
    if (this.#turns.sessionId === before) {
      throw new TurnoutError(
        'crashed',
        `${this.#connection.label} did not begin a new session after /clear.`,
      );
    }
  }
}
