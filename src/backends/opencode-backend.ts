import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorEvent, StepEvent } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';
import type { PermissionMode } from '../core/permission-mode.js';
import type { Thinking } from '../core/thinking.js';
import type { ProcessExit } from '../process/start-process.js';
import type { FoundCredentials } from './launch/credentials.js';
import type { InteractiveUi } from './launch/interactive.js';
import { keepByteOrderMark } from './launch/prompt.js';
import { npm } from './launch/vetted.js';
import type { LiveProtocol } from './live/types.js';
import type { WireDecoder } from './one-shot/decoder.js';
import type { Invocation } from './one-shot/invocation.js';
import { OneShotBackend, type Turn, type Vendor } from './one-shot/one-shot-backend.js';
import { openCodeAdvice } from './opencode/advice.js';
import { mcpServers, mergedConfig, openCodeThinking } from './opencode/config.js';
import { type OpenCodeState, openCodeDecoder, openCodeDecoderFor } from './opencode/decoder.js';
import { errorLog, logLine, retryReader } from './opencode/retries.js';
import { permissionConfig, toolRules } from './opencode/tool-rules.js';
import { allowFlag, hasOlderAllowFlag, losesEndOfRun, olderAllowFlag } from './opencode/versions.js';
import type { Ending } from './output/ending.js';
import type { JsonObject } from './output/json.js';
import type { Exchange, ListedSession, RecordedTools, RecordQuery } from './record/types.js';
import type { BackendCapabilities, LocatedCli } from './types.js';

/** OpenCode, measured with 1.18.33. */
export class OpenCodeBackend extends OneShotBackend<OpenCodeState> {
  readonly capabilities: BackendCapabilities = {
    textDeltas: false,
    thinking: true,
    thinkingDepth: openCodeThinking,
    maxTurns: false,
    allowedTools: true,
    disallowedTools: true,
    mcpConfig: true,
    permissionModes: ['bypass', 'edits', 'plan'],
  };

  protected readonly vendor: Vendor = {
    name: 'opencode',
    label: 'OpenCode',
    ...npm('opencode', 'opencode-ai'),
    noise: [logLine],
    forkFlag: '--fork',
    advice: openCodeAdvice,
  };

  /** The warnings of turns that resume a session in another directory than the one they were to run in. */
  readonly #elsewhere = new WeakMap<Turn, StepEvent>();

  /** A run has shown that this OpenCode has the older name of the flag. */
  #olderFlagSeen = false;

  readonly readingTools = new Set(['read', 'grep', 'glob', 'list', 'todoread', 'todowrite']);

  async recordedTools(query: RecordQuery): Promise<RecordedTools> {
    // Another user's database is not opened with our rights: SQLite would leave files of ours beside it.
    if (this.config.user !== undefined)
      return { type: 'unknown', reason: 'its record is a database of AGENT_USER, which is not opened' };
    return (await import('./opencode/session-record.js')).recordedTools(query, this.inherited);
  }

  async credentials(): Promise<FoundCredentials> {
    return (await import('./opencode/credentials.js')).findCredentials(this.inherited);
  }

  async lastSession(cwd: string, env?: Readonly<Record<string, string>>): Promise<string | undefined> {
    // Another user's database is not opened with our rights: SQLite would leave files of ours beside it.
    if (this.config.user !== undefined)
      throw new TurnoutError(
        'unsupported',
        "opencode does not support continueLast (--continue) for another user's sessions.",
      );
    return (await import('./opencode/last-session.js')).lastSession(cwd, { ...this.inherited, ...env });
  }

  async listSessions(cwd: string, limit: number): Promise<readonly ListedSession[]> {
    // Another user's database is not opened with our rights: SQLite would leave files of ours beside it.
    if (this.config.user !== undefined)
      throw new TurnoutError(
        'unsupported',
        "the sessions of OpenCode are in a database of AGENT_USER's, which is not opened",
      );
    return (await import('./opencode/list-sessions.js')).listSessions(cwd, limit, this.inherited);
  }

  async lastExchange(sessionId: string, cwd: string): Promise<Exchange | undefined> {
    // Another user's database is not opened with our rights: SQLite would leave files of ours beside it.
    if (this.config.user !== undefined) return undefined;
    return (await import('./opencode/last-exchange.js')).lastExchange(sessionId, cwd, this.inherited);
  }

  async live(): Promise<LiveProtocol> {
    return (await import('./opencode/live/protocol.js')).openCodeLive;
  }

  async interactive(): Promise<InteractiveUi> {
    return (await import('./opencode/interactive.js')).openCodeInteractive;
  }

  protected override async insteadOfOneShot(
    turn: Turn,
    { version }: LocatedCli,
  ): Promise<LiveProtocol | undefined> {
    if (!losesEndOfRun(version)) return undefined;
    if (turn.rawArgs.length === 0) return this.live();
    throw new TurnoutError(
      'unsupported',
      `OpenCode ${version} takes no further arguments: its \`run\` does not print its answer.`,
      {
        hint: `Update it with \`${this.vendor.install}\`.`,
      },
    );
  }

  /** The prompt is not among the arguments: OpenCode re-quotes them, so a prompt always goes through stdin. */
  buildArgs(_prompt: string, _systemPrompt: string, sessionId?: string): string[] {
    return this.#args({ sessionId, model: this.config.model, permissionMode: 'bypass', rawArgs: [] });
  }

  protected async describe(turn: Turn, scratch: string, cli: LocatedCli): Promise<Invocation> {
    const instructions = join(scratch, 'instructions.md');
    const config = {
      ...(turn.systemPrompt === '' ? {} : { instructions: [instructions] }),
      ...(turn.mcpConfig === undefined
        ? {}
        : { mcp: await mcpServers(turn.mcpConfig, { ...this.inherited, ...turn.env }) }),
      ...permissions(turn),
    };
    const directory = await this.#otherDirectory(turn);
    const own = turn.env?.['OPENCODE_CONFIG_CONTENT'] ?? this.inherited['OPENCODE_CONFIG_CONTENT'];
    return {
      args: this.#args({
        ...turn,
        directory,
        rawArgs: withErrorLog(turn.rawArgs),
        older: this.#olderFlagSeen || hasOlderAllowFlag(cli.version),
      }),
      stdin: keepByteOrderMark(turn.prompt),
      spool: true,
      env: {
        // OpenCode works where PWD says (1.18.33), which else is the directory of the shell around Turnout.
        PWD: turn.cwd,
        ...(Object.keys(config).length === 0 ? {} : { OPENCODE_CONFIG_CONTENT: mergedConfig(config, own) }),
      },
      ...(turn.systemPrompt === '' ? {} : { files: [{ path: instructions, content: turn.systemPrompt }] }),
    };
  }

  protected decoderFor(turn?: Turn): WireDecoder<OpenCodeState> {
    if (turn === undefined) return openCodeDecoder;
    return openCodeDecoderFor({ model: turn.model, first: this.#elsewhere.get(turn) });
  }

  protected override learnFrom({ message }: ErrorEvent): boolean {
    if (this.#olderFlagSeen || !message.includes(unknownFlag)) return false;
    this.#olderFlagSeen = true;
    return true;
  }

  protected override vendorFailure(exit: ProcessExit, stderr: string, ending: Ending | undefined) {
    if (ending === undefined && hasOlderAllowFlag(undefined, stderr))
      return { message: unknownFlag, code: 'unsupported' } as const;
    const refused = exit.signal === null && ending?.type === 'answered' && ending.stopReason === 'refusal';
    return refused ? ({ message: blockedMessage, code: 'unknown' } as const) : undefined;
  }

  protected override stderrReader(tell: (event: StepEvent) => void): (line: string) => void {
    return retryReader(tell);
  }

  /**
   * The session's own directory, if it is another one. OpenCode runs a session there wherever it is resumed, but then
   * prints nothing of it and never ends.
   */
  async #otherDirectory(turn: Turn): Promise<string | undefined> {
    // Another user's database is not opened with our rights: SQLite would leave files of ours beside it.
    if (turn.sessionId === undefined || this.config.user !== undefined) return undefined;
    const { isSameDirectory, sessionDirectory, worksElsewhere } = await import(
      './opencode/session-directory.js'
    );
    const directory = await sessionDirectory(turn.sessionId, { ...this.inherited, ...turn.env });
    if (directory === undefined || isSameDirectory(directory, turn.cwd)) return undefined;
    if (!existsSync(directory)) {
      throw new TurnoutError(
        'bad_request',
        `The OpenCode session ${turn.sessionId} belongs to ${directory}, which is not there.`,
        { hint: 'Bring the directory back, or begin a new session.' },
      );
    }
    this.#elsewhere.set(turn, worksElsewhere(directory, turn.cwd));
    return directory;
  }

  #args(parts: {
    sessionId?: string | undefined;
    directory?: string | undefined;
    model?: string | undefined;
    thinking?: Thinking | undefined;
    permissionMode: PermissionMode;
    rawArgs: readonly string[];
    older?: boolean;
  }): string[] {
    const args = ['run', '--format', 'json', '--thinking'];
    if (parts.permissionMode === 'bypass') args.push(parts.older ? olderAllowFlag : allowFlag);
    if (parts.permissionMode === 'plan') args.push('--agent', 'plan');
    if (parts.model) args.push('--model', parts.model);
    if (parts.thinking !== undefined) args.push('--variant', String(parts.thinking));
    if (parts.sessionId) args.push('--session', parts.sessionId, '--continue');
    // A new session without a title costs a model call of its own to find one.
    else args.push('--title', 'turnout');
    if (parts.directory !== undefined) args.push('--dir', parts.directory);
    args.push(...parts.rawArgs);
    return args;
  }
}

/** The log options of the caller stay as they are. */
function withErrorLog(rawArgs: readonly string[]): readonly string[] {
  const asked = rawArgs.some((argument) => /^--(print-logs|log-level)\b/.test(argument));
  return asked ? rawArgs : [...errorLog, ...rawArgs];
}

const unknownFlag = `this version of OpenCode does not know ${allowFlag}`;

/** The message of a refusal without a word: `opencode run` exits with 1 if a filter has stopped the model (1.18.33). */
const blockedMessage = "The response was blocked by the provider's content filter";

function permissions(turn: Turn): JsonObject {
  // A call that needs a permission ends the whole turn without an answer.
  const shell = turn.permissionMode === 'bypass' ? [] : ['bash'];
  return permissionConfig(toolRules(turn.allowedTools, [...turn.disallowedTools, ...shell]));
}
