import type { ChatEvent } from '../core/chat-event.js';
import type { PermissionMode } from '../core/permission-mode.js';
import type { ProcessUser } from '../process/process-user.js';
import type { LiveProtocol } from './live/types.js';
import type { BackendName } from './names.js';
import type { RecordedTools, RecordQuery } from './record/types.js';

/** The operator's settings for a backend; every turn starts from them. */
export interface BackendAdapterConfig {
  /** A path, or a bare name that is looked up on PATH. */
  readonly cliPath: string;
  readonly workingDir: string;
  /** The limit for the whole turn; 0 means no limit. */
  readonly queryTimeoutMs: number;
  /** The limit for a one-shot CLI to exit after it has reported its result. Default: 65 s. */
  readonly exitGraceMs?: number | undefined;
  /** The most that a one-shot CLI may print where its output goes through a file. Default: no limit. */
  readonly maxOutputBytes?: number | undefined;
  readonly allowedTools: readonly string[];
  readonly maxTurns: number;
  readonly model?: string | undefined;
  /** The environment that children inherit, without the gateway's own secrets. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The user that the CLI runs as, if it is another one than ours; `env` is then that user's. */
  readonly user?: ProcessUser | undefined;
}

/** R1.2: the result of a turn. */
export interface BackendEventResult {
  responseText?: string;
  sessionId?: string;
  isError: boolean;
}

export type StreamCallback = (text: string) => void;

/** The options of a turn, or of every turn of a session. The config fills in those that are left out. */
export interface TurnOptions {
  readonly systemPrompt?: string | undefined;
  /** The session to resume, in the directory that it was made in. */
  readonly sessionId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** An explicit limit is refused if the CLI has none; the config's default is not. */
  readonly maxTurns?: number | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  /**
   * The caller confirms each tool: whatever the CLI can ask about comes as a `permission_request` before it runs, also
   * what the mode allows. Live sessions only.
   */
  readonly confirmTools?: boolean | undefined;
  /** A file in Claude's format: `{"mcpServers": {name: {command, args, env} | {url}}}`. */
  readonly mcpConfig?: string | undefined;
}

/** The options of a turn with all defaults filled in. */
export interface CompleteTurnOptions extends TurnOptions {
  readonly systemPrompt: string;
  readonly cwd: string;
  readonly permissionMode: PermissionMode;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
}

/** One turn, with the options that R1's four arguments can't express. */
export interface RunRequest extends TurnOptions {
  readonly prompt: string;
  /** Variables that are added to the CLI's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | undefined;
  /** `false` asks the CLI for its plain output format; then there are few events, and they come late. */
  readonly stream?: boolean | undefined;
  /** Extra arguments for the CLI, passed unchanged. */
  readonly rawArgs?: readonly string[] | undefined;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * If it is set, a one-shot CLI writes its stdout to this file, so that its output is known even if this
   * process is killed.
   */
  readonly stdoutFile?: string | undefined;
  /**
   * Called with `true` when a one-shot CLI has given its answer and stays: for its exit, its hooks, or something that runs in
   * the background; and with `false` when it goes on.
   */
  readonly onAnswered?: ((answered: boolean) => void) | undefined;
  /** Called with the exact command before it starts. */
  readonly onSpawn?: ((command: SpawnedCommand) => void) | undefined;
  /**
   * Called with every raw line, in and out, with the events that it became, and with the end: for recordings
   * and debug logs.
   */
  readonly trace?: ((entry: TraceEntry) => void) | undefined;
}

export type TraceEntry =
  | {
      readonly type: 'line';
      /** `in`: the CLI printed the line. `out`: it was sent to the CLI. */
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
  /** The variables that are added to the inherited environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** The abilities of one backend in a one-shot turn. An option beyond them is refused by name. */
export interface BackendCapabilities {
  /** True if text arrives piece by piece while the model writes it. */
  readonly textDeltas: boolean;
  readonly thinking: boolean;
  readonly maxTurns: boolean;
  readonly allowedTools: boolean;
  readonly disallowedTools: boolean;
  readonly mcpConfig: boolean;
  readonly permissionModes: readonly PermissionMode[];
}

/** The program to start. A backend may know a shorter way than the configured one (behind a shim). */
export interface LocatedCli {
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface BackendAdapter {
  name(): BackendName;
  readonly capabilities: BackendCapabilities;
  /** R1.4: true if the configured binary exists and is executable. */
  validate(): Promise<boolean>;
  /** The CLI's long-lived mode, loaded on demand. */
  live(): Promise<LiveProtocol>;
  /** Finds the CLI. Rejects with `not_installed` and a hint. */
  locate(): Promise<LocatedCli>;
  /** R1.1: runs one turn and folds it to its result. Never rejects because of a CLI's failure. */
  execute(
    prompt: string,
    systemPrompt: string,
    sessionId?: string,
    onStream?: StreamCallback,
  ): Promise<BackendEventResult>;
  /** Runs one turn as events; everything above the backends uses this. Leaving the loop ends the CLI. */
  run(request: RunRequest, options?: RunOptions): AsyncIterable<ChatEvent>;
  /** Decodes the steps in the stdout of a one-shot run afterwards, and its end if that was printed, without its words. Garbage is no error. */
  decode?(lines: AsyncIterable<string>): AsyncIterable<ChatEvent>;
  /** The tools that a turn had begun, by the CLI's own record of the session. Never rejects. */
  recordedTools?(query: RecordQuery): Promise<RecordedTools>;
}
