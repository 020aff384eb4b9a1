import { createHash } from 'node:crypto';
import type { Usage } from '../core/chat-event.js';
import type { PermissionMode } from '../core/permission-mode.js';
import { codexAdvice } from './codex/advice.js';
import {
  codexThinking,
  mcpArguments,
  reasoningEffort,
  tomlString,
  withoutAnalytics,
  withoutPlugins,
} from './codex/arguments.js';
import { type CodexState, codexDecoder, threadTotal } from './codex/decoder.js';
import { codexMcpServers } from './codex/mcp-servers.js';
import { nativeCodex } from './codex/native-binary.js';
import type { FoundCredentials } from './launch/credentials.js';
import type { InteractiveUi } from './launch/interactive.js';
import { readMcpServers } from './launch/mcp-config.js';
import { fitsArgument, keepByteOrderMark, putInFront } from './launch/prompt.js';
import { npm } from './launch/vetted.js';
import type { LiveProtocol } from './live/types.js';
import type { WireDecoder } from './one-shot/decoder.js';
import type { Invocation } from './one-shot/invocation.js';
import { OneShotBackend, type Turn, type Vendor } from './one-shot/one-shot-backend.js';
import { RecentSessions } from './recent-sessions.js';
import type { Exchange, ListedSession, RecordedTools, RecordQuery } from './record/types.js';
import type { BackendCapabilities, LocatedCli } from './types.js';

/** Codex, measured with 0.166.0. */
export class CodexBackend extends OneShotBackend<CodexState> {
  readonly capabilities: BackendCapabilities = {
    textDeltas: false,
    thinking: true,
    thinkingDepth: codexThinking,
    maxTurns: false,
    allowedTools: false,
    disallowedTools: false,
    mcpConfig: true,
    permissionModes: ['bypass', 'edits', 'plan'],
  };

  protected readonly vendor: Vendor = {
    name: 'codex',
    label: 'Codex',
    ...npm('codex', '@openai/codex'),
    noise: [
      /^Reading (additional input|prompt) from stdin/,
      /^WARNING: proceeding, even though we could not/,
    ],
    advice: codexAdvice,
  };

  /** Facts about the threads seen here: their usage is a running total, and their instructions stay. */
  readonly #threads = new RecentSessions<{ total: Usage; instructions?: string }>();

  buildArgs(prompt: string, systemPrompt: string, sessionId?: string): string[] {
    return this.#args({
      prompt,
      sessionId,
      cwd: this.config.workingDir,
      model: this.config.model,
      permission: permissionFlags.bypass,
      settings: [...withoutAnalytics, ...instructionArguments(systemPrompt)],
    });
  }

  protected async describe(turn: Turn): Promise<Invocation> {
    // Every user of the machine can see arguments, so the prompt is none: "-" stands for stdin.
    const args = this.#args({
      ...turn,
      prompt: '-',
      permission: permissionFlags[turn.permissionMode],
      settings: [...(await this.settingArguments(turn)), ...turn.rawArgs],
    });
    return { args, stdin: this.stdinOf(turn) };
  }

  protected stdinOf(turn: Turn): string {
    const natively = fitsAsArgument(turn.systemPrompt) && !this.#instructionsChanged(turn);
    return keepByteOrderMark(natively ? turn.prompt : putInFront(turn.systemPrompt, turn.prompt));
  }

  /** The settings of a turn, each behind a `-c`. */
  protected async settingArguments(turn: Turn): Promise<readonly string[]> {
    return [
      ...withoutAnalytics,
      ...instructionArguments(fitsAsArgument(turn.systemPrompt) ? turn.systemPrompt : ''),
      ...withoutPlugins(this.inherited),
      ...thinkingArguments(turn),
      ...(await this.#mcpArguments(turn)),
    ];
  }

  async #mcpArguments({ mcpConfig, env }: Turn): Promise<readonly string[]> {
    if (mcpConfig === undefined) return [];
    return mcpArguments(codexMcpServers(await readMcpServers(mcpConfig, { ...this.inherited, ...env })));
  }

  protected decoderFor(turn?: Turn): WireDecoder<CodexState> {
    const decoder = codexDecoder({
      isResumed: turn?.sessionId !== undefined,
      totalBefore: this.#threads.get(turn?.sessionId)?.total,
      model: turn?.model,
    });
    if (turn === undefined) return decoder;
    return {
      ...decoder,
      step: (state, line, raw) => {
        const [next, events] = decoder.step(state, line, raw);
        if (line['type'] === 'turn.completed' && next.sessionId !== undefined) {
          this.#remember(next.sessionId, threadTotal(line), turn);
        }
        return [next, events];
      },
    };
  }

  /** Finds the native binary behind the npm shim: that is a process less, and a kill reaches the one that works. */
  override async locate(): Promise<LocatedCli> {
    const found = await super.locate();
    return { ...found, ...nativeCodex(found.command, this.inherited) };
  }

  /** Codex reads files with its shell, which may do anything. */
  readonly readingTools = new Set(['update_plan']);

  async recordedTools(query: RecordQuery): Promise<RecordedTools> {
    return this.inRecords(async (env) =>
      (await import('./codex/session-record.js')).recordedTools(query, env),
    );
  }

  async credentials(): Promise<FoundCredentials> {
    return (await import('./codex/credentials.js')).findCredentials(this.inherited);
  }

  async lastSession(cwd: string, env?: Readonly<Record<string, string>>): Promise<string | undefined> {
    return this.inRecords(async (inherited) =>
      (await import('./codex/last-session.js')).lastSession(cwd, { ...inherited, ...env }),
    );
  }

  async listSessions(cwd: string, limit: number): Promise<readonly ListedSession[]> {
    return this.inRecords(async (env) =>
      (await import('./codex/list-sessions.js')).listSessions(cwd, limit, env),
    );
  }

  async lastExchange(sessionId: string, cwd: string): Promise<Exchange | undefined> {
    return this.inRecords(async (env) =>
      (await import('./codex/last-exchange.js')).lastExchange(sessionId, cwd, env),
    );
  }

  async live(): Promise<LiveProtocol> {
    const { codexLive } = await import('./codex/live/protocol.js');
    return codexLive;
  }

  async interactive(): Promise<InteractiveUi> {
    return (await import('./codex/interactive.js')).codexInteractive;
  }

  #args(parts: {
    prompt: string;
    sessionId?: string | undefined;
    cwd: string;
    model?: string | undefined;
    permission: readonly string[];
    settings: readonly string[];
  }): string[] {
    const args = ['exec', '--json', ...parts.permission, '--cd', parts.cwd];
    if (parts.model) args.push('--model', parts.model);
    args.push(...parts.settings);
    if (parts.sessionId) args.push('resume', parts.sessionId);
    args.push('--', parts.prompt);
    return args;
  }

  /** A thread keeps the instructions it began with: changed (or unknown) ones go in front of the prompt. */
  #instructionsChanged(turn: Turn): boolean {
    if (turn.sessionId === undefined || turn.systemPrompt === '') return false;
    return this.#threads.get(turn.sessionId)?.instructions !== fingerprint(turn.systemPrompt);
  }

  #remember(threadId: string, total: Usage, turn: Turn): void {
    const instructions = turn.systemPrompt === '' ? {} : { instructions: fingerprint(turn.systemPrompt) };
    this.#threads.set(threadId, { total, ...instructions });
  }
}

const permissionFlags: Record<PermissionMode, readonly string[]> = {
  bypass: ['--dangerously-bypass-approvals-and-sandbox'],
  edits: ['--skip-git-repo-check', '--sandbox', 'workspace-write'],
  plan: ['--skip-git-repo-check', '--sandbox', 'read-only'],
  ask: ['--skip-git-repo-check', '--sandbox', 'read-only'],
};

function fitsAsArgument(systemPrompt: string): boolean {
  return fitsArgument(JSON.stringify(systemPrompt));
}

/** A value that is no TOML is taken as it is, but `true` or `[x]` is TOML: a JSON string is safe. */
function instructionArguments(systemPrompt: string): readonly string[] {
  return systemPrompt === '' ? [] : ['-c', `developer_instructions=${tomlString(systemPrompt)}`];
}

function thinkingArguments({ thinking }: Turn): readonly string[] {
  const effort = reasoningEffort(thinking);
  return effort === undefined ? [] : ['-c', `model_reasoning_effort=${tomlString(effort)}`];
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
