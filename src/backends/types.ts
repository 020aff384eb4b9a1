import type { ChatEvent } from '../core/chat-event.js';
import type { PermissionMode } from '../core/permission-mode.js';
import type { LiveProtocol } from './live/types.js';
import type { BackendName } from './names.js';

/** What the operator configures for a backend; every turn starts from it. */
export interface BackendAdapterConfig {
  /** A path, or a bare name that is looked up on PATH. */
  readonly cliPath: string;
  readonly workingDir: string;
  /** The whole turn may take this long; 0 means no limit. */
  readonly queryTimeoutMs: number;
  /** How long a one-shot CLI may take to exit after it has said what its turn came to. Default: 65 s. */
  readonly exitGraceMs?: number | undefined;
  readonly allowedTools: readonly string[];
  readonly maxTurns: number;
  readonly model?: string | undefined;
  /** The environment that children inherit (less the gateway's own secrets). Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** R1.2: what a turn came to. */
export interface BackendEventResult {
  responseText?: string;
  sessionId?: string;
  isError: boolean;
}

export type StreamCallback = (text: string) => void;

/** What a turn, or every turn of a session, is run with. What is left out comes from the config. */
export interface TurnOptions {
  readonly systemPrompt?: string | undefined;
  /** Resumes this session, in the directory that it was made in. */
  readonly sessionId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** An explicit limit: refused where the CLI has none (the config's default is not). */
  readonly maxTurns?: number | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  /** A file in Claude's format: `{"mcpServers": {name: {command, args, env} | {url}}}`. */
  readonly mcpConfig?: string | undefined;
}

/** The same, with all that has a default filled in. */
export interface CompleteTurnOptions extends TurnOptions {
  readonly systemPrompt: string;
  readonly cwd: string;
  readonly permissionMode: PermissionMode;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
}

/** One turn: what R1's four arguments can't say as well. */
export interface RunRequest extends TurnOptions {
  readonly prompt: string;
  /** Added to the environment of the CLI. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | undefined;
  /** `false` asks the CLI for its plain output format; the events are then few, and late. */
  readonly stream?: boolean | undefined;
  /** The escape hatch: words for the CLI's own argument list, as they are. */
  readonly rawArgs?: readonly string[] | undefined;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** A one-shot CLI writes its stdout to this file, so that it is known what it said even after we were killed. */
  readonly stdoutFile?: string | undefined;
  /**
   * Called with `true` when a one-shot CLI has given its answer and stays for something that runs in the background, and
   * with `false` when it goes on.
   */
  readonly onBackgroundWait?: ((waits: boolean) => void) | undefined;
  /** Told the exact command before it starts. */
  readonly onSpawn?: ((command: SpawnedCommand) => void) | undefined;
  /** Told of every raw line, in and out, with the events that it became, and of the end: for recordings and debug logs. */
  readonly trace?: ((entry: TraceEntry) => void) | undefined;
}

export type TraceEntry =
  | {
      readonly type: 'line';
      /** `in`: the CLI said it. `out`: it was told to the CLI. */
      readonly direction: 'in' | 'out';
      readonly line: string;
      readonly events: readonly ChatEvent[];
    }
  | {
      readonly type: 'exit';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly stderr: string;
    };

export interface SpawnedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** What is added to the inherited environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** What one backend can do in a one-shot turn. Asking for more is refused by name. */
export interface BackendCapabilities {
  /** Text arrives piece by piece while the model writes it. */
  readonly textDeltas: boolean;
  readonly thinking: boolean;
  readonly maxTurns: boolean;
  readonly allowedTools: boolean;
  readonly disallowedTools: boolean;
  readonly mcpConfig: boolean;
  readonly permissionModes: readonly PermissionMode[];
}

/** The program to start. A backend may know a shorter way than the configured one (a binary behind a shim). */
export interface LocatedCli {
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface BackendAdapter {
  name(): BackendName;
  readonly capabilities: BackendCapabilities;
  /** R1.4: is the configured binary there, and executable? */
  validate(): Promise<boolean>;
  /** The CLI's long-lived mode. Loaded on demand. */
  live(): Promise<LiveProtocol>;
  /** Where the CLI is. Rejects with `not_installed` and what to do about it. */
  locate(): Promise<LocatedCli>;
  /** R1.1: one turn, folded to its result. Never rejects for what a CLI does wrong. */
  execute(
    prompt: string,
    systemPrompt: string,
    sessionId?: string,
    onStream?: StreamCallback,
  ): Promise<BackendEventResult>;
  /** One turn as events; the seam that everything above the backends uses. Leaving the loop ends the CLI. */
  run(request: RunRequest, options?: RunOptions): AsyncIterable<ChatEvent>;
  /** What a one-shot run has said, read from its stdout afterwards. Garbage is no error. */
  decode?(lines: AsyncIterable<string>): AsyncIterable<ChatEvent>;
}
