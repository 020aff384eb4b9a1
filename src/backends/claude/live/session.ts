import type { PermissionMode } from '../../../core/permission-mode.js';
import { late, within } from '../../../core/wait.js';
import { TurnStream } from '../../live/turn-stream.js';
import type { LiveEvents, LiveSession, LiveSessionOptions, PermissionAnswer } from '../../live/types.js';
import { userMessage } from '../arguments.js';
import { asPrompt } from '../versions.js';
import { mayAsk, permissionsFor } from './permissions.js';
import { answerMs, type ClaudeConnection } from './transport.js';
import type { ClaudeTurns } from './turns.js';

/** The session that a process holds now, until it is closed. */
export class ClaudeSession implements LiveSession {
  isOpen = true;
  readonly #connection: ClaudeConnection;
  readonly #turns: ClaudeTurns;
  readonly #startOptions: LiveSessionOptions;
  #lastId: string | undefined;
  #modelChanged = false;
  #modeChanged = false;

  constructor(connection: ClaudeConnection, turns: ClaudeTurns, startOptions: LiveSessionOptions) {
    this.#connection = connection;
    this.#turns = turns;
    this.#startOptions = startOptions;
  }

  get sessionId(): string | undefined {
    return this.isOpen ? this.#turns.sessionId : this.#lastId;
  }

  turn(prompt: string): LiveEvents {
    if (!this.isOpen) return closedTurn();
    const typed = asPrompt(prompt, this.#turns.version);
    return this.#turns.run(userMessage(typed.prompt), typed.notices);
  }

  async interrupt(): Promise<void> {
    if (this.isOpen) await this.#turns.interrupt();
  }

  async answerPermission(id: string, answer: PermissionAnswer): Promise<void> {
    await this.#turns.answerPermission(id, answer);
  }

  async steer(prompt: string): Promise<boolean> {
    return this.isOpen && this.#turns.steer(userMessage(asPrompt(prompt, this.#turns.version).prompt));
  }

  async setModel(model: string): Promise<void> {
    this.#modelChanged = true;
    await this.#connection.request({ subtype: 'set_model', model });
  }

  async setPermissionMode(mode: PermissionMode): Promise<boolean> {
    if (mayAsk({ ...this.#startOptions, permissionMode: mode }) !== mayAsk(this.#startOptions)) return false;
    this.#modeChanged = true;
    const permissions = permissionsFor(mode, this.#startOptions);
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
      const idle = await within(answerMs, this.#turns.idle());
      if (idle !== late && (await this.#turns.footprint.isClean(this.#connection))) return;
    } catch {
      // The process does not answer any more.
    }
    await this.#connection.end();
  }

  /** Takes back the changes of settings that outlive `/clear`. */
  async restoreSettings(): Promise<void> {
    if (this.#modeChanged) await this.setPermissionMode(this.#startOptions.permissionMode);
    // Without a model Claude goes back to the default one.
    const { model } = this.#startOptions;
    if (this.#modelChanged) {
      await this.#connection.request({ subtype: 'set_model', ...(model === undefined ? {} : { model }) });
    }
  }
}

function closedTurn(): LiveEvents {
  const stream = new TurnStream();
  const ending = { type: 'failed', code: 'bad_request', message: 'The session was closed.' } as const;
  stream.push({ type: 'ending', ending });
  return stream;
}
