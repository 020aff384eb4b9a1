import type { AnyBackendName } from '../backends/registry.js';
import type { TraceEntry } from '../backends/types.js';
import type { ChatEvent, NoticeEvent, SessionEvent, TerminalEvent, UsageEvent } from '../core/chat-event.js';
import type { PermissionMode } from '../core/permission-mode.js';
import type { Thinking } from '../core/thinking.js';

/** A backend, or the vendor's own SDK in its place. */
export type RunnerName = AnyBackendName | 'codex-sdk';

/** One interface to run any agent, alone. */
export interface AgentRunner {
  readonly name: RunnerName;
  /** Resolves to true if the runner can be used here. Makes no network call and never rejects. */
  isAvailable(): Promise<boolean>;
  /** The same with the details: the program, its version, the key or account, and what is missing. */
  availability(): Promise<Availability>;
  /** The runner's abilities; each that is missing has a hint. */
  capabilities(): RunnerCapabilities;
  /** Runs one turn and returns its answer. Rejects only with a TurnoutError, before anything is started. */
  runOnce(options: RunnerOptions): Promise<OnceResult>;
  /** Runs one turn and tells its events while they happen. */
  runStreaming(options: RunnerOptions, callbacks?: StreamingCallbacks): Promise<StreamingResult>;
  /** Starts the vendor's own terminal UI on this process's stdin, stdout and stderr, and waits for its end. */
  runInteractive(options: RunnerOptions): Promise<InteractiveResult>;
}

/** What a runner can't do is refused by name before anything is started. */
export interface RunnerOptions {
  /** Left out only for `runInteractive`. */
  readonly prompt?: string | undefined;
  /** Added to the agent's own system prompt. */
  readonly systemPrompt?: string | undefined;
  readonly cwd?: string | undefined;
  /** Variables that are added to the inherited environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly tools?: ToolOptions | undefined;
  /** A file with settings in Claude's format. */
  readonly settings?: string | undefined;
  /** A file with MCP servers in Claude's format. */
  readonly mcpConfig?: string | undefined;
  readonly mode?: 'interactive' | 'print' | undefined;
  /** Long options of one CLI, each under its backend's name: `{claude: {'add-dir': ['../lib']}}`. The others' are not used. */
  readonly providerOptions?: ProviderOptions | undefined;
  /** Arguments for the CLI itself, passed unchanged. */
  readonly rawArgs?: readonly string[] | undefined;
  readonly sessionId?: string | undefined;
  /** Goes on with the session that was used last in the directory, in place of `sessionId`. */
  readonly continueLast?: boolean | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly thinking?: Thinking | undefined;
  /** The limit for the whole turn; 0 means no limit. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The word behind the completion marker, if it has one in this run. */
  readonly markerNonce?: string | undefined;
  /** Options that the backend can't honour are left out, and each is told as a warning. Default: they are refused. */
  readonly allowUnsupported?: boolean | undefined;
  readonly trace?: ((entry: TraceEntry) => void) | undefined;
}

export interface ToolOptions {
  readonly allowed?: readonly string[] | undefined;
  readonly disallowed?: readonly string[] | undefined;
}

export type ProviderOptions = Readonly<
  Partial<Record<RunnerName, Readonly<Record<string, string | number | boolean | readonly string[]>>>>
>;

export interface Availability {
  readonly available: boolean;
  /** Where the program is. */
  readonly path?: string;
  readonly version?: string;
  /** `unknown`: it can't be told without a network call. */
  readonly signedIn: 'yes' | 'no' | 'unknown';
  /** The kind of key or account that was found, never the key itself. */
  readonly credentials?: string;
  /** What is missing, and the command that would fix it. */
  readonly problem?: string;
}

export const capabilityNames = [
  'supportsInteractive',
  'supportsStreaming',
  'supportsSystemPrompt',
  'supportsMcp',
  'supportsTools',
  'supportsModel',
  'supportsMaxTurns',
] as const;

export type CapabilityName = (typeof capabilityNames)[number];

export type RunnerCapabilities = Readonly<Record<CapabilityName, boolean>> & {
  /** What to do instead, for each ability that is missing. */
  readonly hints: Readonly<Partial<Record<CapabilityName, string>>>;
};

/** An event that states a fact about a turn as a whole. */
export type TurnFact = SessionEvent | UsageEvent | NoticeEvent | TerminalEvent;

export interface OnceResult {
  /**
   * 0 if the turn is complete. If it failed: the CLI's own exit code (128 and the signal's number if a signal ended it), or 1 if
   * that was 0. 3 not available · 4 not supported · 124 timed out · 130 interrupted.
   */
  readonly exitCode: number;
  /** The answer, or the words of the failure. */
  readonly output?: string;
  /**
   * The warnings (also of options that were left out because of `allowUnsupported`), the session, the usage, and the end:
   * `complete` or `error`.
   */
  readonly structured?: TurnFact[];
}

export interface StreamingCallbacks {
  /** Called with every event of the turn. A promise is awaited, so a slow callback slows the CLI. */
  readonly onEvent?: ((event: ChatEvent) => void | Promise<void>) | undefined;
  /** Called with the pieces of the answer. */
  readonly onText?: ((text: string) => void | Promise<void>) | undefined;
}

export interface StreamingResult extends OnceResult {
  /** The agent has said the completion marker. */
  readonly markerDetected: boolean;
}

export interface InteractiveResult {
  /** The CLI's own exit code; 128 and the signal's number if a signal has ended it. */
  readonly exitCode: number;
}
