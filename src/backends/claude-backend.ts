import { join } from 'node:path';
import type { ErrorEvent } from '../core/chat-event.js';
import type { PermissionMode } from '../core/permission-mode.js';
import { claudeAdvice } from './claude/advice.js';
import {
  allowedToolFlags,
  claudeEnvironment,
  claudeThinking,
  effectiveMode,
  forkFlag,
  isRule,
  permissionFlags,
  streamFormat,
  thinkingFlags,
  userMessage,
} from './claude/arguments.js';
import { type ClaudeState, claudeDecoder } from './claude/decoder.js';
import { settingsFor } from './claude/settings.js';
import { asPrompt, lacksSnapshots, losesOutput, snapshotFlag } from './claude/versions.js';
import type { FoundCredentials } from './launch/credentials.js';
import type { InteractiveUi } from './launch/interactive.js';
import { npm } from './launch/vetted.js';
import type { LiveProtocol } from './live/types.js';
import type { WireDecoder } from './one-shot/decoder.js';
import type { Invocation } from './one-shot/invocation.js';
import { OneShotBackend, type Turn, type Vendor } from './one-shot/one-shot-backend.js';
import type { TurnLimits } from './one-shot/turn-limits.js';
import { RecentSessions } from './recent-sessions.js';
import type { Exchange, ListedSession, RecordedTools, RecordQuery } from './record/types.js';
import type { BackendCapabilities, LocatedCli } from './types.js';

/** Claude Code, measured with 2.1.325. */
export class ClaudeCodeBackend extends OneShotBackend<ClaudeState> {
  readonly capabilities: BackendCapabilities = {
    textDeltas: true,
    thinking: true,
    alwaysStreams: true,
    thinkingDepth: claudeThinking,
    maxTurns: true,
    allowedTools: true,
    disallowedTools: true,
    mcpConfig: true,
    settings: true,
    permissionModes: ['bypass', 'edits', 'plan'],
  };

  protected readonly vendor: Vendor = {
    name: 'claude',
    label: 'Claude',
    ...npm('claude', '@anthropic-ai/claude-code'),
    noise: [/^Warning: no stdin data received/],
    advice: claudeAdvice,
    tellsMcpFailures: true,
    forkFlag,
    resumesByName: true,
  };

  #hasSnapshots = true;
  readonly #costs = new RecentSessions<number>();

  readonly readingTools = new Set(['Read', 'Grep', 'Glob', 'LS', 'NotebookRead', 'TodoRead', 'TodoWrite']);

  startNotice(permissionMode: PermissionMode): string | undefined {
    const { allowedTools } = this.config;
    const mode = effectiveMode({ permissionMode, allowedTools });
    if (mode === permissionMode) return undefined;
    const rules = allowedTools.filter(isRule).join(', ');
    const [used, wanted] = [permissionFlags[mode], permissionFlags[permissionMode]].map((f) => f.join(' '));
    return `ALLOWED_TOOLS has rules for single calls (${rules}): ${this.vendor.label} runs with ${used} in place of ${wanted}, and denies what they do not allow.`;
  }

  async recordState(sessionId: string, cwd: string): Promise<string | undefined> {
    return (await import('./claude/session-record.js')).recordState(sessionId, cwd, this.inherited);
  }

  async recordedTools(query: RecordQuery): Promise<RecordedTools> {
    return this.inRecords(async (env) =>
      (await import('./claude/session-record.js')).recordedTools(query, env),
    );
  }

  async credentials(): Promise<FoundCredentials> {
    const demo = await import('./claude/last-demo-session.js');
    if (demo.isDemoAgent(this.config.cliPath))
      return { signedIn: 'yes', credentials: 'the demo agent needs none' };
    return (await import('./claude/credentials.js')).findCredentials(this.inherited, this.config.workingDir);
  }

  async lastSession(cwd: string, env?: Readonly<Record<string, string>>): Promise<string | undefined> {
    return this.inRecords(async (inherited) => {
      const environment = { ...inherited, ...env };
      const demo = await import('./claude/last-demo-session.js');
      if (demo.isDemoAgent(this.config.cliPath)) return demo.lastDemoSession(cwd, environment);
      return (await import('./claude/last-session.js')).lastSession(cwd, environment);
    });
  }

  async listSessions(cwd: string, limit: number): Promise<readonly ListedSession[]> {
    return this.inRecords(async (env) => {
      const demo = await import('./claude/last-demo-session.js');
      if (demo.isDemoAgent(this.config.cliPath)) return demo.listDemoSessions(cwd, limit, env);
      return (await import('./claude/list-sessions.js')).listSessions(cwd, limit, env);
    });
  }

  async lastExchange(sessionId: string, cwd: string): Promise<Exchange | undefined> {
    return this.inRecords(async (env) => {
      const demo = await import('./claude/last-demo-session.js');
      if (demo.isDemoAgent(this.config.cliPath)) return demo.lastDemoExchange(sessionId, cwd, env);
      return (await import('./claude/last-exchange.js')).lastExchange(sessionId, cwd, env);
    });
  }

  async live(): Promise<LiveProtocol> {
    return (await import('./claude/live/protocol.js')).claudeLiveAs(this.vendor.label);
  }

  async interactive(): Promise<InteractiveUi> {
    return (await import('./claude/interactive.js')).claudeInteractive;
  }

  /** `systemPromptFile` is the file that holds the system prompt: Claude's flag for it takes no text. */
  buildArgs(prompt: string, systemPromptFile: string, sessionId?: string): string[] {
    return this.#args({
      prompt: [prompt],
      format: ['--output-format', 'json'],
      permission: permissionFlags.bypass,
      systemPromptFile,
      sessionId,
      model: this.config.model,
      maxTurns: this.config.maxTurns,
      allowedTools: this.config.allowedTools,
      rawArgs: [],
    });
  }

  protected async describe(
    turn: Turn,
    scratch: string,
    cli: LocatedCli,
    limits?: TurnLimits,
  ): Promise<Invocation> {
    const systemPromptFile = join(scratch, 'system-prompt.md');
    const channel = channelFor(turn.prompt);
    const { prompt, notices } =
      channel === 'stdin'
        ? { prompt: turn.prompt, notices: [] }
        : asPrompt(turn.prompt, await this.#versionOf(cli, limits));
    const args = this.#args({
      ...turn,
      prompt: [],
      format: streamFormat,
      permission: permissionFlags[effectiveMode(turn)],
      systemPromptFile,
      maxTurns: turn.maxTurns ?? this.config.maxTurns,
    });
    if (channel === 'message') args.push('--input-format', 'stream-json');
    // A session keeps the system prompt of its first turn unless the snapshot is off.
    if (turn.sessionId !== undefined && turn.systemPrompt !== '' && this.#hasSnapshots)
      args.push(snapshotFlag, 'off');
    const settings = await settingsFor(turn.settings, turn.permissionMode === 'plan', scratch);
    args.push(...settings.args);
    // Accepting edits, Claude also runs `touch`, `rm` and the like: files, but no commands, takes the shell away, unless commands
    // are allowed by name.
    const namesCommands = turn.allowedTools.some((tool) => tool.startsWith('Bash('));
    const withoutShell = turn.permissionMode === 'edits' && !namesCommands ? ['Bash'] : [];
    for (const tool of [...turn.disallowedTools, ...withoutShell]) args.push('--disallowedTools', tool);
    if (turn.mcpConfig !== undefined) args.push('--mcp-config', turn.mcpConfig);
    args.push(...thinkingFlags(turn.thinking));
    args.push(...turn.rawArgs);
    return {
      args,
      stdin: channel === 'stdin' ? prompt : `${JSON.stringify(userMessage(prompt))}\n`,
      env: claudeEnvironment(this.inherited, turn.permissionMode),
      files: [{ path: systemPromptFile, content: turn.systemPrompt }, ...settings.files],
      notices,
      ...(losesOutput(cli.version) ? { spool: true } : {}),
    };
  }

  protected decoderFor(turn?: Turn, cli?: LocatedCli): WireDecoder<ClaudeState> {
    const resumed = turn?.sessionId;
    const costBefore = resumed === undefined ? 0 : this.#costs.get(resumed);
    const decoder = claudeDecoder(costBefore, cli?.version, this.vendor.label);
    return {
      ...decoder,
      step: (state, line, raw) => {
        const cost = line['total_cost_usd'];
        if (typeof cost === 'number' && typeof line['session_id'] === 'string') {
          this.#costs.set(line['session_id'], cost);
        }
        return decoder.step(state, line, raw);
      },
    };
  }

  protected override learnFrom(failure: ErrorEvent): boolean {
    if (!this.#hasSnapshots || !lacksSnapshots(failure.message)) return false;
    this.#hasSnapshots = false;
    return true;
  }

  /** The version is asked for only where it decides, and the files around the CLI don't tell it. */
  async #versionOf(cli: LocatedCli, limits: TurnLimits | undefined): Promise<string | undefined> {
    return cli.version ?? (limits && (await this.askedVersion(cli, limits)));
  }

  #args(parts: {
    prompt: readonly string[];
    format: readonly string[];
    permission: readonly string[];
    systemPromptFile: string;
    sessionId?: string | undefined;
    model?: string | undefined;
    maxTurns: number;
    allowedTools: readonly string[];
    rawArgs: readonly string[];
  }): string[] {
    const args = ['-p', ...parts.prompt, ...parts.format, ...parts.permission];
    args.push('--append-system-prompt-file', parts.systemPromptFile);
    args.push('--max-turns', String(parts.maxTurns));
    if (parts.model) args.push('--model', parts.model);
    if (parts.sessionId) args.push('--resume', parts.sessionId);
    args.push(...allowedToolFlags(parts.allowedTools, parts.rawArgs));
    return args;
  }
}

/**
 * No prompt is an argument: those are shown to every user of the machine. A slash command is one on stdin too. Only a
 * message that is marked as not typed reaches the model as it is (the mark is undocumented, so plain prompts don't depend
 * on it; `asPrompt` has the versions that don't know it).
 */
function channelFor(prompt: string): 'stdin' | 'message' {
  return prompt.startsWith('/') ? 'message' : 'stdin';
}
