import { TurnoutError } from '../../../core/errors.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import type { ProcessExit } from '../../../process/start-process.js';
import type {
  LiveEvent,
  LiveEvents,
  LiveProcess,
  LiveSession,
  LiveSessionOptions,
  PermissionAnswer,
} from '../../live/types.js';
import { userMessage } from '../arguments.js';
import { mayAsk, permissionsFor } from './permissions.js';
import { answerMs, type ClaudeConnection, crashed } from './transport.js';
import type { ClaudeTurns } from './turns.js';

/** A process that holds one session at a time: a further one begins with `/clear`, in some 30 ms. */
export class ClaudeProcess implements LiveProcess {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  readonly #connection: ClaudeConnection;
  readonly #turns: ClaudeTurns;
  readonly #started: LiveSessionOptions;
  readonly #key: (options: LiveSessionOptions) => string;
  /** The last session, open or not. */
  #session: ClaudeSession | undefined;

  constructor(
    connection: ClaudeConnection,
    turns: ClaudeTurns,
    started: LiveSessionOptions,
    key: (options: LiveSessionOptions) => string,
  ) {
    this.#connection = connection;
    this.#turns = turns;
    this.#started = started;
    this.#key = key;
    this.pid = connection.pid;
    this.exited = connection.exited;
  }

  async open(options: LiveSessionOptions): Promise<LiveSession> {
    if (this.#connection.death !== undefined) throw crashed(this.#connection.death);
    if (this.#session?.isOpen) {
      throw new TurnoutError('bad_request', 'A Claude process holds one session at a time: close it first.');
    }
    if (this.#key(options) !== this.#key(this.#started)) {
      throw new TurnoutError('bad_request', 'The session needs a Claude process with other start options.');
    }
    const held = this.#turns.sessionId;
    if (options.sessionId !== undefined && options.sessionId !== held) {
      throw new TurnoutError('unsupported', 'A running Claude process can’t resume another session.', {
        hint: 'Start a process for it.',
      });
    }
    const goesOn = options.sessionId !== undefined || (held === undefined && this.#session === undefined);
    await this.#session?.restoreSettings();
    if (!goesOn) await this.#clear();
    this.#session = new ClaudeSession(this.#connection, this.#turns, this.#started);
    return this.#session;
  }

  async end(): Promise<void> {
    await this.#connection.end();
  }

  /** A new session: nothing of the one before is left. */
  async #clear(): Promise<void> {
    try {
      await withDeadline(this.#runClear());
      this.#turns.forget();
    } catch (error) {
      // Whose session it now holds can't be known.
      await this.end();
      throw error;
    }
  }

  async #runClear(): Promise<void> {
    const before = this.#turns.sessionId;
    const { text_not_typed: _, ...typed } = userMessage('/clear');
    for await (const event of this.#turns.run(typed)) {
      if (event.type === 'ending' && event.ending.type === 'failed') {
        throw new TurnoutError(event.ending.code ?? 'unknown', event.ending.message);
      }
    }
    if (this.#turns.sessionId === before) {
      throw new TurnoutError('crashed', 'Claude did not begin a new session after /clear.');
    }
  }
}

class ClaudeSession implements LiveSession {
  isOpen = true;
  readonly #connection: ClaudeConnection;
  readonly #turns: ClaudeTurns;
  readonly #started: LiveSessionOptions;
  #lastId: string | undefined;
  #modelChanged = false;
  #modeChanged = false;

  constructor(connection: ClaudeConnection, turns: ClaudeTurns, started: LiveSessionOptions) {
    this.#connection = connection;
    this.#turns = turns;
    this.#started = started;
  }

  get sessionId(): string | undefined {
    return this.isOpen ? this.#turns.sessionId : this.#lastId;
  }

  turn(prompt: string): LiveEvents {
    return this.isOpen ? this.#turns.run(userMessage(prompt)) : closedTurn();
  }

  async interrupt(): Promise<void> {
    if (this.isOpen) await this.#turns.interrupt();
  }

  async answerPermission(id: string, answer: PermissionAnswer): Promise<void> {
    await this.#turns.answer(id, answer);
  }

  async steer(prompt: string): Promise<boolean> {
    return this.isOpen && this.#turns.steer(userMessage(prompt));
  }

  async setModel(model: string): Promise<void> {
    this.#modelChanged = true;
    await this.#connection.request({ subtype: 'set_model', model });
  }

  async setPermissionMode(mode: PermissionMode): Promise<boolean> {
    if (mayAsk({ ...this.#started, permissionMode: mode }) !== mayAsk(this.#started)) return false;
    this.#modeChanged = true;
    const permissions = permissionsFor(mode, this.#started);
    await this.#connection.request({ subtype: 'set_permission_mode', mode: permissions.claudeMode });
    this.#turns.permissions = permissions;
    return true;
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.#lastId = this.#turns.sessionId;
    this.isOpen = false;
    try {
      await this.#turns.interrupt();
      await withDeadline(this.#turns.settled());
      if (await this.#turns.footprint.isClean(this.#connection.pid)) return;
    } catch {
      // It does not listen any more.
    }
    await this.#connection.end();
  }

  /** What outlives `/clear`. */
  async restoreSettings(): Promise<void> {
    if (this.#modeChanged) await this.setPermissionMode(this.#started.permissionMode);
    // Without a model it goes back to the default one.
    const { model } = this.#started;
    if (this.#modelChanged) {
      await this.#connection.request({ subtype: 'set_model', ...(model === undefined ? {} : { model }) });
    }
  }
}

async function* closedTurn(): AsyncGenerator<LiveEvent> {
  const ending = { type: 'failed', code: 'bad_request', message: 'The session was closed.' } as const;
  yield { type: 'ending', ending };
}

async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new TurnoutError('timeout', `Claude did not get ready within ${answerMs / 1000} s.`));
    }, answerMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
