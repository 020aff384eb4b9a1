import type { BackendName } from '../backends/registry.js';
import type {
  BackendAdapter,
  BackendAdapterConfig,
  RunOptions,
  TraceEntry,
  TurnOptions,
} from '../backends/types.js';
import type { Clocks } from '../config/limits.js';
import type { ChatEvent, PermissionDecision } from '../core/chat-event.js';
import type { PermissionMode } from '../core/permission-mode.js';

/** A conversation with one agent, over a live process or over one-shot runs: the same shape for all four CLIs. */
export interface BackendSession {
  readonly backend: BackendName;
  readonly live: boolean;
  readonly cwd: string;
  /** The vendor's id, from the first turn on. */
  readonly sessionId: string | undefined;
  /** One turn. Turns of a session run one after the other. Leaving the loop early interrupts the turn. */
  send(prompt: string, options?: SendOptions): AsyncIterable<ChatEvent>;
  /** Ends the running turn with `error {code: "interrupted"}`; the session stays usable. */
  interrupt(): Promise<void>;
  /** Answers a `permission_request`. Rejects when there is no such request (any more). */
  answerPermission(id: string, decision: PermissionDecision, message?: string): Promise<void>;
  /**
   * Says something into the running turn, which answers it too and still has one end. False: not taken, because the CLI
   * can't, or no turn runs any more. Never rejects.
   */
  steer(prompt: string): Promise<boolean>;
  /** From the next turn on. Rejects with `unsupported` where the CLI can't. */
  setModel(model: string): Promise<void>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Gives the session up; its id can be resumed later. */
  close(): Promise<void>;
}

export interface SendOptions extends Pick<RunOptions, 'signal' | 'stdoutFile' | 'onSpawn'> {}

export interface SessionOptions extends TurnOptions {
  readonly backend: BackendName;
  readonly config: BackendAdapterConfig;
  /** Default: a live process. `false`: each turn starts the CLI anew. */
  readonly live?: boolean | undefined;
  /** The backend's module, where the caller has one already. Default: one that is made for this session. */
  readonly adapter?: BackendAdapter | undefined;
  /** Words for the CLI's own argument list, as they are. One-shot turns only. */
  readonly rawArgs?: readonly string[] | undefined;
  /** `false` asks for the CLI's plain output format: few events, and late. One-shot turns only. */
  readonly stream?: boolean | undefined;
  /** The thinking budget, where the CLI has one (Claude, live). */
  readonly maxThinkingTokens?: number | undefined;
  readonly clocks?: Partial<Clocks> | undefined;
  /** Every raw line and the events that it became (S9). */
  readonly trace?: ((entry: TraceEntry) => void) | undefined;
}
