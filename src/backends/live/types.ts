import type { ErrorCode, PermissionDecision, StepEvent } from '../../core/chat-event.js';
import type { PermissionMode } from '../../core/permission-mode.js';
import type { ProcessExit } from '../../process/start-process.js';
import type { Ending } from '../output/ending.js';
import type { CompleteTurnOptions, TraceEntry } from '../types.js';

/**
 * The second layer of a backend: a long-lived process over the CLI's own protocol. It only speaks the protocol;
 * clocks, pooling, locks and the invariants of a turn are the business of `src/sessions`.
 */
export interface LiveProtocol {
  /** `many`: one process holds any number of sessions of its key. */
  readonly sessionsPerProcess: 'one' | 'many';
  readonly capabilities: LiveCapabilities;
  /** Sessions with the same key can live in the same process (one after the other, where it holds one at a time). */
  processKey(options: LiveSessionOptions): string;
  /** Starts a process and waits until it takes sessions. Rejects with a TurnoutError. */
  start(options: LiveSessionOptions, context: LiveContext): Promise<LiveProcess>;
}

export interface LiveCapabilities {
  readonly thinking: boolean;
  readonly permissionModes: readonly PermissionMode[];
  /** What a permission request can be answered with. */
  readonly decisions: readonly PermissionDecision[];
  readonly setModel: boolean;
  readonly setPermissionMode: boolean;
  readonly maxTurns: boolean;
  readonly allowedTools: boolean;
  readonly disallowedTools: boolean;
  readonly mcpConfig: boolean;
  /** A budget of tokens for thinking can be given. */
  readonly thinkingBudget?: true;
  /** Something can be said into a running turn. */
  readonly steer?: true;
}

/** What a session is opened with: new, or resumed by id. */
export interface LiveSessionOptions extends CompleteTurnOptions {
  readonly maxThinkingTokens?: number | undefined;
}

/** Where and how the process runs. */
export interface LiveContext {
  readonly command: string;
  /** The whole environment, already without our own secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** A directory of this process's own for temporary files; created by whoever needs it, removed by the caller. */
  readonly scratch: string;
  /** Nobody waits for the start any more: what has been started so far is to be ended. Not aborted once it is done. */
  readonly signal?: AbortSignal | undefined;
  /** Every raw line in and out, with the events that it became (S9). */
  readonly trace?: ((entry: TraceEntry) => void) | undefined;
}

export interface LiveProcess {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  /** Opens a session. Rejects with a TurnoutError (`session_not_found`, `auth`, …); the process stays usable. */
  open(options: LiveSessionOptions): Promise<LiveSession>;
  /** Ends the process and everything it started. Idempotent. */
  end(): Promise<void>;
}

export interface LiveSession {
  /** Known at once where the protocol tells it at the opening, else from the first turn's `session` event on. */
  readonly sessionId: string | undefined;
  /**
   * One turn. Yields what happens and, last, exactly one `ending`; it never throws for what the CLI does wrong (a
   * process that dies gives `crashed`). One turn at a time. A caller that leaves the loop has called `interrupt` before.
   */
  turn(prompt: string): LiveEvents;
  /** Asks the CLI to stop the running turn, which then ends as `interrupted`. Without a turn it does nothing. */
  interrupt(): Promise<void>;
  answerPermission(id: string, answer: PermissionAnswer): Promise<void>;
  /**
   * Says something into the running turn, which then goes on: it ends when that has been answered too. False: no turn
   * runs any more, or the CLI does not take it. Never rejects, and answers at the end of the turn at the latest.
   */
  steer?(prompt: string): Promise<boolean>;
  setModel?(model: string): Promise<void>;
  /** False: this process can't. Then the session has to go on in one that was started with that mode. */
  setPermissionMode?(mode: PermissionMode): Promise<boolean>;
  /** Lets go of the session; a process that holds one session only is ready for another one, or is ended by the caller. */
  close(): Promise<void>;
}

export interface LiveEvents extends AsyncIterable<LiveEvent> {
  /**
   * Takes what has come behind the event that was given last: a promise for each would cost more than the event. A question
   * and the turn's end are left for `next`: until a reader has come so far, they have not happened for it.
   */
  takeBuffered?(last: LiveEvent): readonly LiveEvent[];
}

export type LiveEvent = StepEvent | TurnEnding;

export interface TurnEnding {
  readonly type: 'ending';
  readonly ending: Ending | { readonly type: 'failed'; readonly message: string; readonly code: ErrorCode };
}

export interface PermissionAnswer {
  readonly decision: PermissionDecision;
  /** Told to the model with a `deny`. */
  readonly message?: string | undefined;
}
