import type { AgentHooks } from '../backends/live/agent-hooks.js';
import type { AnyBackendName } from '../backends/registry.js';
import type {
  BackendAdapter,
  BackendAdapterConfig,
  BackendConfig,
  RunOptions,
  TraceEntry,
  TurnOptions,
} from '../backends/types.js';
import type { Clocks } from '../config/limits.js';
import type { ChatEvent, PermissionDecision } from '../core/chat-event.js';
import type { PermissionMode } from '../core/permission-mode.js';

/** A conversation with one agent, over a live process or one-shot runs: the same for all four CLIs. */
export interface BackendSession {
  readonly backend: AnyBackendName;
  readonly live: boolean;
  readonly cwd: string;
  /** The vendor's id; `undefined` until the first turn of a new session. */
  readonly sessionId: string | undefined;
  /** True if a process has the session open: its next turn does not resume it from the CLI's record. */
  readonly isOpenInProcess: boolean;
  /** The process that has the session open, of a live session. */
  readonly processId?: number | undefined;
  /** Runs one turn; the turns of a session run one after the other. Leaving the loop interrupts the turn. */
  send(prompt: string, options?: SendOptions): AsyncIterable<ChatEvent>;
  /** Ends the running turn with `error {code: "interrupted"}`; the session stays usable. */
  interrupt(): Promise<void>;
  /** Answers a `permission_request`. Rejects if there is no such request, or no longer. */
  answerPermission(id: string, decision: PermissionDecision, message?: string): Promise<void>;
  /**
   * Sends a message into the running turn, which answers it too and still has one end. Resolves to false if
   * the CLI can't take it, or no turn runs any more. Never rejects.
   */
  steer(prompt: string): Promise<boolean>;
  /** Takes effect with the next turn. Rejects with `unsupported` where the CLI can't change its model. */
  setModel(model: string): Promise<void>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Closes the session; its id can be resumed later. */
  close(): Promise<void>;
}

export interface SendOptions extends Pick<RunOptions, 'signal' | 'stdoutFile' | 'conversation' | 'onSpawn'> {}

export interface SessionOptions extends TurnOptions {
  /** Default: claude. */
  readonly backend?: AnyBackendName | undefined;
  /** Default: the CLI's name, looked up on PATH, in the current directory. */
  readonly config?: BackendConfig | undefined;
  /** `false` starts the CLI again for each turn. Default: a live process. */
  readonly live?: boolean | undefined;
  /** The backend's module, if the caller has one already. Default: one that is made for this session. */
  readonly adapter?: BackendAdapter | undefined;
  /** Extra arguments for the CLI, passed unchanged. Live sessions take them with Claude only. */
  readonly rawArgs?: readonly string[] | undefined;
  /** `false` asks for the CLI's plain output format (Gemini's): few events, and late. One-shot turns only. */
  readonly stream?: boolean | undefined;
  /** Callbacks at certain points of a turn, if the CLI has them (Claude). Live sessions only. */
  readonly agentHooks?: AgentHooks | undefined;
  /**
   * The process (`BackendSession.processId`) in which the session had its last turn. The caller knows that nobody has written to
   * the session since: it goes on there, if it can, and is then not read from its record again.
   */
  readonly heldBy?: number | undefined;
  readonly clocks?: Partial<Clocks> | undefined;
  /** Called with each command that is started, every raw line and the events that it became, and the end. */
  readonly trace?: ((entry: TraceEntry) => void) | undefined;
}

/** The options with the backend's name and its whole configuration. */
export interface CompleteSessionOptions extends SessionOptions {
  readonly backend: AnyBackendName;
  readonly config: BackendAdapterConfig;
}
