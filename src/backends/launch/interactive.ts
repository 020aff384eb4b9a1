import type { PermissionMode } from '../../core/permission-mode.js';
import type { Thinking } from '../../core/thinking.js';
import type { BackendCapabilities } from '../types.js';
import type { McpServer } from './mcp-config.js';
import type { ScratchFile } from './scratch-files.js';

/** A vendor's own terminal UI: what it takes, and the command that starts it. */
export interface InteractiveUi {
  readonly capabilities: InteractiveCapabilities;
  /** Describes the start as a value. Nothing has happened yet. */
  command(options: InteractiveOptions, context: InteractiveContext): InteractiveCommand;
  /** Called before the start, for what the CLI would spoil of its own records. */
  prepare?(options: InteractiveOptions, context: InteractiveContext): Promise<void>;
}

/** The options that the UI takes; every UI takes a model, a system prompt, a session and raw arguments in some form. */
export type InteractiveCapabilities = Pick<
  BackendCapabilities,
  'maxTurns' | 'allowedTools' | 'disallowedTools' | 'mcpConfig' | 'permissionModes' | 'thinkingDepth'
> & {
  /** True if the CLI takes a file with settings in Claude's format. */
  readonly settings?: true;
  /** False if the UI takes a first prompt for a new session only. */
  readonly promptOnResume?: false;
};

export interface InteractiveOptions {
  /** The first prompt. Without one the UI waits for the person. */
  readonly prompt?: string | undefined;
  /** Added to the agent's own; '' is none. */
  readonly systemPrompt: string;
  readonly cwd: string;
  readonly model?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Undefined leaves the vendor's default: a person is there who can be asked. */
  readonly permissionMode?: PermissionMode | undefined;
  readonly thinking?: Thinking | undefined;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly mcpConfig?: string | undefined;
  /** What is in `mcpConfig`, for the CLIs that take it in another form. */
  readonly mcpServers: readonly McpServer[];
  readonly settings?: string | undefined;
  readonly rawArgs: readonly string[];
}

export interface InteractiveContext {
  /** The environment that the CLI inherits. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** A directory for the run's own files. It exists only if there are any. */
  readonly scratch: string;
  /** The CLI's version, if the files around it tell it. */
  readonly version?: string | undefined;
  /** False if the CLI runs as another user, whose files are not ours to change. */
  readonly ownFiles: boolean;
}

export interface InteractiveCommand {
  readonly args: readonly string[];
  /** Changes to the inherited environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly files?: readonly ScratchFile[];
}
