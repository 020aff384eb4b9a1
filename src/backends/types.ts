import type { ChatEvent, NoticeEvent } from '../core/chat-event.js';
import type { PermissionMode } from '../core/permission-mode.js';
import type { TakenThinking, Thinking } from '../core/thinking.js';
import type { OnHostExit } from '../process/mark-child.js';
import type { ProcessUser } from '../process/process-user.js';
import type { FoundCredentials } from './launch/credentials.js';
import type { InteractiveUi } from './launch/interactive.js';
import type { LiveProtocol, TurnEnding } from './live/types.js';
import type { AnyBackendName } from './names.js';
import type { Exchange, ListedSession, RecordedTools, RecordQuery } from './record/types.js';

/** The operator's settings for a backend; every turn starts from them. */
export interface BackendAdapterConfig {
  /** A path, or a bare name that is looked up on PATH. Default: the CLI's own name. */
  readonly cliPath: string;
  /** The directory that the agent works in. Default: the current one. */
  readonly workingDir: string;
  /** The limit for the whole turn; 0 means no limit. Default: ten minutes. */
  readonly queryTimeoutMs: number;
  /** The limit for a one-shot CLI to exit after it has reported its result. Default: 65 s. */
  readonly exitGraceMs?: number | undefined;
  /** The most that a one-shot CLI may print where its output goes through a file. Default: no limit. */
  readonly maxOutputBytes?: number | undefined;
  /** The CLI's names of the tools that the agent may use, if the CLI can be told. Default: none are named, and all are allowed. */
  readonly allowedTools: readonly string[];
  /** The most steps of the model in a turn, if the CLI has such a limit (Claude); 0 means no limit. Default: 25. */
  readonly maxTurns: number;
  /** The CLI's name of the model. Default: what the CLI itself is set to. */
  readonly model?: string | undefined;
  /** The environment that children inherit, without the gateway's own secrets. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The directory of Turnout's own data. Default: what `env` says. */
  readonly home?: string | undefined;
  /** The user that the CLI runs as, if it is another one than ours; `env` is then that user's. */
  readonly user?: ProcessUser | undefined;
  /**
   * What becomes of the CLI, and of all that it has started, when this program exits or a signal ends it in the middle of a turn or a
   * session. Default: `end`. With `leave` it goes on, as long as it does without its pipes.
   */
  readonly onHostExit?: OnHostExit | undefined;
}

/** The settings as a caller gives them: each one that is left out has its default. */
export type BackendConfig = {
  readonly [Field in keyof BackendAdapterConfig]?: BackendAdapterConfig[Field] | undefined;
};

/** The result of a turn. */
export interface BackendEventResult {
  responseText?: string;
  sessionId?: string;
  isError: boolean;
}

/** The outcome of a turn in the gateway, for the one who asked: `error` is there exactly when the turn failed. */
export interface EventResult {
  responseText?: string;
  targetChannelId?: string;
  sessionId?: string;
  error?: string | undefined;
}

/**
 * Gets the pieces of an answer in their order. A promise that it returns is awaited before the next call, so a slow
 * callback slows the CLI. Its failure does not end the turn: the process emits a warning with it (`TURNOUT_ON_STREAM`), once
 * a turn. When the time of the turn is up, a call that has not settled is not waited for, and no other follows.
 */
export type StreamCallback = ((text: string) => void) | ((text: string) => Promise<void>);

/** The options of a turn, or of every turn of a session. The config fills in those that are left out. */
export interface TurnOptions {
  readonly systemPrompt?: string | undefined;
  /** The session to resume, in the directory that it was made in. */
  readonly sessionId?: string | undefined;
  /** Resumes the session that was used last in the directory, in place of `sessionId`. */
  readonly continueLast?: boolean | undefined;
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** How deep the model thinks. A value that the CLI does not take is refused; whether the model does is its vendor's matter. */
  readonly thinking?: Thinking | undefined;
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
  /** A file with settings in Claude's format, on top of the user's own. */
  readonly settings?: string | undefined;
}

/** The options of a turn with all defaults filled in. */
export interface CompleteTurnOptions extends TurnOptions {
  readonly systemPrompt: string;
  readonly cwd: string;
  readonly permissionMode: PermissionMode;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
}

export interface ExecuteOptions {
  /** Ends the turn, and the CLI with it. The result is then an error: `Interrupted`, or `Query timed out` for `AbortSignal.timeout`. */
  readonly signal?: AbortSignal | undefined;
}

/** One turn, with the options that the four arguments of `execute` can't express. */
export interface RunRequest extends TurnOptions {
  readonly prompt: string;
  /** Variables that are added to the CLI's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The limit for the whole turn; 0 means no limit. Default: the config's. */
  readonly timeoutMs?: number | undefined;
  /** `false` asks the CLI for its plain output format; then there are few events, and they come late. Only Gemini has one that is used. */
  readonly stream?: boolean | undefined;
  /** Extra arguments for the CLI, passed unchanged. */
  readonly rawArgs?: readonly string[] | undefined;
}

export interface RunOptions {
  /** Ends the turn with `error {code: "interrupted"}`, and the CLI with it. */
  readonly signal?: AbortSignal | undefined;
  /**
   * If it is set, a one-shot CLI writes its stdout to this file, so that its output is known even if this
   * process is killed.
   */
  readonly stdoutFile?: string | undefined;
  /**
   * The name of what the turn belongs to, if the session has no id yet. An `execute` that can't be stopped goes on behind its
   * turn's end: the next one of the same conversation, or session, waits for it.
   */
  readonly conversation?: string | undefined;
  /**
   * Called with `true` when a one-shot CLI has given its answer and stays: for its exit, its hooks, or something that runs in
   * the background; and with `false` when it goes on.
   */
  readonly onAnswered?: ((answered: boolean) => void) | undefined;
  /** Called with the exact command before it starts. */
  readonly onSpawn?: ((command: SpawnedCommand) => void) | undefined;
  /**
   * Called with the exact command, every raw line in and out with the events that it became, every line of stderr, and the
   * end: for recordings and debug logs.
   */
  readonly trace?: ((entry: TraceEntry) => void) | undefined;
}

export type TraceEntry = TracedStep & {
  /** Tells the processes of one trace apart. */
  readonly process?: number | undefined;
};

export type TracedStep =
  /** The CLI is about to be started. Variables that look like secrets have no value here. */
  | ({ readonly type: 'spawn' } & SpawnedCommand)
  | {
      readonly type: 'line';
      /** `in`: the CLI printed the line. `out`: it was sent to the CLI; what a one-shot run reads is one entry. */
      readonly direction: 'in' | 'out';
      readonly line: string;
      readonly events: readonly (ChatEvent | TurnEnding)[];
    }
  | { readonly type: 'stderr'; readonly line: string }
  | {
      readonly type: 'exit';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly stderr: string;
      /** The last events of a one-shot turn, which its exit decides. */
      readonly events?: readonly ChatEvent[] | undefined;
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
  /** True if both come as they are written with `stream: false` too. */
  readonly alwaysStreams?: true;
  /** The values of the option `thinking` that the CLI takes. */
  readonly thinkingDepth?: readonly TakenThinking[];
  readonly maxTurns: boolean;
  readonly allowedTools: boolean;
  readonly disallowedTools: boolean;
  readonly mcpConfig: boolean;
  /** True if the CLI takes a file with settings in Claude's format. */
  readonly settings?: true;
  readonly permissionModes: readonly PermissionMode[];
  /** True if every turn has the model, the directory and the arguments that the backend was made with. Turnout sets it where `run` is missing. */
  readonly asMade?: true;
}

/** The program to start. A backend may know a shorter way than the configured one (behind a shim). */
export interface LocatedCli {
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The version, if the files around the program tell it. */
  readonly version?: string;
}

/**
 * A backend. `name`, `validate` and `execute` are all that it needs for turns in sessions and in the gateway; with the
 * other members it can do more, and tells more of a turn.
 */
export interface BackendAdapter {
  name(): string;
  /** True if the configured binary exists and is executable. */
  validate(): Promise<boolean>;
  /** Runs one turn and folds it to its result. Never rejects because of a CLI's failure; a wrong call rejects with a TurnoutError. */
  execute(
    prompt: string,
    systemPrompt: string,
    sessionId?: string,
    onStream?: StreamCallback,
    options?: ExecuteOptions,
  ): Promise<BackendEventResult>;
  /**
   * For an adapter without `run`, whose turns don't show their tools: true if a run may change something. The gateway then never
   * repeats a failed turn by itself.
   */
  readonly hasEffects?: boolean | undefined;
  /** The options of a turn that it can honour. Default: none, and tools are allowed without asking. */
  readonly capabilities?: BackendCapabilities;
  /**
   * Runs one turn as events; the last one is `complete` or `error`. Leaving the loop ends the CLI, and so does the signal of the
   * second argument: `run({prompt}, {signal})`. A wrong call throws a TurnoutError.
   */
  run?(request: RunRequest, options?: RunOptions): AsyncIterable<ChatEvent>;
  /** Finds the CLI. Rejects with `not_installed` and a hint. */
  locate?(): Promise<LocatedCli>;
  /**
   * Returns the command that `run` would start, without starting or writing anything. Temporary files are in `<temporary>`, a
   * CLI that is not installed has its plain name, variables that look like secrets have no value.
   */
  plan?(request: RunRequest): Promise<SpawnedCommand>;
  /**
   * The CLI's long-lived mode, loaded on demand. Without it, each turn in the gateway runs by itself, and `openSession` refuses
   * a live session by name.
   */
  live?(): Promise<LiveProtocol>;
  /** The CLI's own terminal UI, loaded on demand. Without it `runInteractive` refuses the backend by name. */
  interactive?(): Promise<InteractiveUi>;
  /** Returns the notice that a turn with this version carries, if the version was not vetted. */
  versionNotice?(version: string | undefined): NoticeEvent | undefined;
  /** Decodes the steps in the stdout of a one-shot run afterwards, and its end if that was printed, without its words. Garbage is no error. */
  decode?(lines: AsyncIterable<string>): AsyncIterable<ChatEvent>;
  /**
   * The id of the session that was used last in a directory, by the CLI's own records, which `env` may place elsewhere.
   * Undefined if there is none.
   */
  lastSession?(cwd: string, env?: Readonly<Record<string, string>>): Promise<string | undefined>;
  /**
   * Stands for the state of the CLI's own record of a session: another one as soon as anybody has written to it. Undefined if
   * the record is not found where it is expected.
   */
  recordState?(sessionId: string, cwd: string): Promise<string | undefined>;
  /**
   * The sessions that the CLI has made in a directory, by its own records: the last used ones, newest first. No CLI is started.
   * A record that is damaged is left out. Rejects if there are records that can't be looked at.
   */
  listSessions?(cwd: string, limit: number): Promise<readonly ListedSession[]>;
  /** The last exchange of a session, by the CLI's own record. No CLI is started. Undefined if the record does not tell it. */
  lastExchange?(sessionId: string, cwd: string): Promise<Exchange | undefined>;
  /** What the operator of a gateway must know about the settings that the backend was made with, if there is something. */
  startNotice?(permissionMode: PermissionMode): string | undefined;
  /** Looks for a key or an account of the CLI's, without a network call. */
  credentials?(): Promise<FoundCredentials>;
  /** How a person signs in. */
  readonly signIn?: string | undefined;
  /**
   * The names of the CLI's own tools that change nothing: they read files, search in them, or keep the model's plan. A turn
   * that waits for a permission and has used no others may be run again. Every other tool is held to change something.
   */
  readonly readingTools?: ReadonlySet<string> | undefined;
  /** The tools that a turn had begun, by the CLI's own record of the session. Never rejects. */
  recordedTools?(query: RecordQuery): Promise<RecordedTools>;
}

/** A backend whose turns are events, as sessions need it. `withEvents` makes one of any adapter. */
export interface EventBackend extends BackendAdapter {
  readonly capabilities: BackendCapabilities;
  run(request: RunRequest, options?: RunOptions): AsyncIterable<ChatEvent>;
}

/** A backend that drives a CLI, as `createBackend` makes it. It may have no long-lived mode (`live`). */
export interface CliBackend extends EventBackend {
  name(): AnyBackendName;
  locate(): Promise<LocatedCli>;
}
