import type { PermissionDecision, StepEvent } from '../../core/chat-event.js';
import type { PermissionMode } from '../../core/permission-mode.js';
import type { TakenThinking } from '../../core/thinking.js';
import type { OnHostExit } from '../../process/mark-child.js';
import type { ProcessUser } from '../../process/process-user.js';
import type { ProcessExit } from '../../process/start-process.js';
import type { Advice } from '../output/advice.js';
import type { Ending } from '../output/ending.js';
import type { CompleteTurnOptions, TraceEntry } from '../types.js';
import type { AgentHookEvent, AgentHooks } from './agent-hooks.js';

/**
 * The second layer of a backend: a long-lived process that speaks the CLI's own protocol. Clocks, pooling,
 * locks and the invariants of a turn belong to `src/sessions`.
 */
export interface LiveProtocol {
  /** If it is `many`, one process holds any number of sessions of its key. */
  readonly sessionsPerProcess: 'one' | 'many';
  readonly capabilities: LiveCapabilities;
  /** What a person can do about a failure of this CLI. */
  readonly advice?: Advice;
  /** True if the CLI tells of MCP servers that could not start. */
  readonly tellsMcpFailures?: true;
  /** True if a new session in a used process leaves no record before its first turn: one can be opened before anybody asks. */
  readonly opensUnseen?: true;
  /**
   * Returns the key of the process: sessions with the same key can share one (one after the other, if it
   * holds one at a time).
   */
  processKey(options: LiveSessionOptions): string;
  /** Describes the process that `start` starts, without an effect: for plans. */
  describe?(options: LiveSessionOptions, context: DescribedContext): Promise<LiveCommand>;
  /** Starts a process and waits until it takes sessions. Rejects with a TurnoutError. */
  start(options: LiveSessionOptions, context: LiveContext): Promise<LiveProcess>;
}

export type DescribedContext = Pick<LiveContext, 'env' | 'scratch' | 'version'>;

/** What a process is started with. */
export interface LiveCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface LiveCapabilities {
  readonly thinking: boolean;
  readonly permissionModes: readonly PermissionMode[];
  /** The possible answers to a permission request. */
  readonly decisions: readonly PermissionDecision[];
  readonly setModel: boolean;
  readonly setPermissionMode: boolean;
  readonly maxTurns: boolean;
  readonly allowedTools: boolean;
  readonly disallowedTools: boolean;
  readonly mcpConfig: boolean;
  /** True if the CLI takes a file with settings in Claude's format. */
  readonly settings?: true;
  /** The values of the option `thinking` that the CLI takes. */
  readonly thinkingDepth?: readonly TakenThinking[];
  /** True if the process is started with `rawArgs`. */
  readonly rawArgs?: true;
  /** True if a message can be sent into a running turn. */
  readonly steer?: true;
  /** True if tools that the mode allows can be asked about too. */
  readonly confirmTools?: true;
  /** The points of a turn at which the CLI calls back. */
  readonly agentHooks?: readonly AgentHookEvent[];
}

/** The options of a session, new or resumed by id. */
export interface LiveSessionOptions extends CompleteTurnOptions {
  /** See `SessionOptions`. */
  readonly heldBy?: number | undefined;
  readonly agentHooks?: AgentHooks | undefined;
  /** Extra arguments for the CLI, passed unchanged. */
  readonly rawArgs?: readonly string[] | undefined;
}

/** The place and the environment of the process. */
export interface LiveContext {
  readonly command: string;
  /** The whole environment, already without our own secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** The part of `env` that is not told of in traces, because nobody added it. Default: all of it. */
  readonly inherited?: Readonly<Record<string, string>> | undefined;
  /** The CLI's version, if the files around it tell it. */
  readonly version?: string | undefined;
  /**
   * A directory for temporary files of this process only. The protocol creates it if it needs it; the caller
   * removes it.
   */
  readonly scratch: string;
  /** The user that the process runs as, if it is another one than ours. */
  readonly user?: ProcessUser | undefined;
  /** See `BackendAdapterConfig`. */
  readonly onHostExit?: OnHostExit | undefined;
  /**
   * Aborted if nobody waits for the start any more: the protocol then ends what it has started. Not aborted
   * after the start.
   */
  readonly signal?: AbortSignal | undefined;
  /** Called with the command, with every raw line in and out and the events that it became, and with the end. */
  readonly trace?: ((entry: TraceEntry) => void) | undefined;
}

export interface LiveProcess {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  /** The CLI's version: as the process shows it, else as the files around it tell it. */
  readonly version?: string | undefined;
  /** True if a session that was closed here can go on here, with what it held then. */
  holds?(sessionId: string): boolean;
  /** Opens a session. Rejects with a TurnoutError (`session_not_found`, `auth`, …); the process goes on. */
  open(options: LiveSessionOptions): Promise<LiveSession>;
  /** Ends the process and everything it started. Idempotent. */
  end(): Promise<void>;
}

export interface LiveSession {
  /** Known at once if the protocol gives it at the opening, else from the first turn's `session` event on. */
  readonly sessionId: string | undefined;
  /**
   * Runs one turn; there is one at a time. Yields its events and, last, exactly one `ending`; never throws
   * because of a CLI's failure (a process that dies gives `crashed`). A caller that leaves the loop has
   * called `interrupt` before.
   */
  turn(prompt: string): LiveEvents;
  /** Asks the CLI to stop the running turn, if there is one; it then ends as `interrupted`. */
  interrupt(): Promise<void>;
  answerPermission(id: string, answer: PermissionAnswer): Promise<void>;
  /**
   * Sends a message into the running turn, which ends when that has been answered too. Resolves to false if
   * no turn runs any more, or the CLI does not take the message. Never rejects, and resolves at the end of
   * the turn at the latest.
   */
  steer?(prompt: string): Promise<boolean>;
  setModel?(model: string): Promise<void>;
  /**
   * Resolves to false if this process can't change to the mode: the session must then go on in a process that
   * was started with it.
   */
  setPermissionMode?(mode: PermissionMode): Promise<boolean>;
  /**
   * Closes the session here; a process that holds one session only is then ready for another one, or is ended
   * by the caller.
   */
  close(): Promise<void>;
}

export interface LiveEvents extends AsyncIterable<LiveEvent> {
  /**
   * Takes the events that arrived behind the one that was yielded last: a promise for each would cost more
   * than the event. A permission request and the turn's end are left for `next`: they have not happened for a
   * reader that has not come so far.
   */
  takeBuffered(last: LiveEvent): readonly LiveEvent[];
}

export type LiveEvent = StepEvent | TurnEnding;

export interface TurnEnding {
  readonly type: 'ending';
  readonly ending: Ending;
}

export interface PermissionAnswer {
  readonly decision: PermissionDecision;
  /** The reason for a `deny`, which the model gets. */
  readonly message?: string | undefined;
}
