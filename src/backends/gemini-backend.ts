import { userHome } from '../config/home-directory.js';
import type { ErrorCode, StepEvent } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';
import type { PermissionMode } from '../core/permission-mode.js';
import type { ProcessExit } from '../process/start-process.js';
import { geminiAdvice } from './gemini/advice.js';
import { approvalModes } from './gemini/arguments.js';
import { type GeminiState, geminiDecoder, geminiFailure } from './gemini/decoder.js';
import { withoutCommand } from './gemini/prompt.js';
import { findRetries } from './gemini/retries.js';
import type { FoundCredentials } from './launch/credentials.js';
import type { InteractiveUi } from './launch/interactive.js';
import { putInFront } from './launch/prompt.js';
import { npm } from './launch/vetted.js';
import type { LiveProtocol } from './live/types.js';
import type { WireDecoder } from './one-shot/decoder.js';
import type { Invocation } from './one-shot/invocation.js';
import { OneShotBackend, type Turn, type Vendor } from './one-shot/one-shot-backend.js';
import { classifyFailure } from './output/classify-failure.js';
import type { Ending } from './output/ending.js';
import { object } from './output/read-fields.js';
import { RecentSessions } from './recent-sessions.js';
import type { Exchange, ListedSession, RecordedTools, RecordQuery } from './record/types.js';
import type { BackendCapabilities, LocatedCli } from './types.js';

/** Gemini CLI, measured with 0.61.0. */
export class GeminiBackend extends OneShotBackend<GeminiState> {
  readonly capabilities: BackendCapabilities = {
    textDeltas: true,
    thinking: false,
    maxTurns: false,
    allowedTools: false,
    disallowedTools: false,
    mcpConfig: true,
    permissionModes: ['bypass', 'edits', 'plan'],
  };

  protected readonly vendor: Vendor = {
    name: 'gemini',
    label: 'Gemini',
    ...npm('gemini', '@google/gemini-cli'),
    noise: [
      /^YOLO mode is enabled/,
      /^Ripgrep is not available/,
      /^Warning: (256-color|True color|Basic terminal)/,
      /^Loaded cached credentials/,
      /^Attempt \d+ failed/,
      /^Suggested retry after /,
    ],
    advice: geminiAdvice,
    resumesByName: true,
  };

  readonly #instructions = new RecentSessions<string>(200);

  readonly readingTools = new Set([
    ...['read_file', 'read_many_files', 'list_directory', 'glob'],
    ...['grep_search', 'search_file_content', 'write_todos'],
  ]);

  async recordedTools(query: RecordQuery): Promise<RecordedTools> {
    return this.inRecords(async (env) =>
      (await import('./gemini/session-record.js')).recordedTools(query, env),
    );
  }

  async credentials(): Promise<FoundCredentials> {
    return (await import('./gemini/credentials.js')).findCredentials(this.inherited, this.config.workingDir);
  }

  async lastSession(cwd: string, env?: Readonly<Record<string, string>>): Promise<string | undefined> {
    return this.inRecords(async (inherited) =>
      (await import('./gemini/last-session.js')).lastSession(cwd, { ...inherited, ...env }),
    );
  }

  async listSessions(cwd: string, limit: number): Promise<readonly ListedSession[]> {
    return this.inRecords(async (env) =>
      (await import('./gemini/list-sessions.js')).listSessions(cwd, limit, env),
    );
  }

  async lastExchange(sessionId: string, cwd: string): Promise<Exchange | undefined> {
    return this.inRecords(async (env) =>
      (await import('./gemini/last-exchange.js')).lastExchange(sessionId, cwd, env),
    );
  }

  async live(): Promise<LiveProtocol> {
    return (await import('./gemini/live/protocol.js')).geminiLive;
  }

  /**
   * Gemini (0.61.0) has no option for the MCP servers of one run, and reads them from system settings only if those belong to
   * root. A session of `--acp` takes them, so a turn that has servers runs in one.
   */
  protected override async insteadOfOneShot({ mcpConfig, rawArgs }: Turn): Promise<LiveProtocol | undefined> {
    if (mcpConfig === undefined) return undefined;
    if (rawArgs.length === 0) return this.live();
    throw new TurnoutError('unsupported', 'gemini does not support rawArgs together with mcpConfig.', {
      hint: "Configure the MCP servers in gemini's own settings, or leave out the arguments behind --.",
    });
  }

  async interactive(): Promise<InteractiveUi> {
    return (await import('./gemini/interactive.js')).geminiInteractive;
  }

  /** Gemini can't append to its own system prompt, only replace it: ours goes in front of the prompt. */
  buildArgs(prompt: string, systemPrompt: string, sessionId?: string): string[] {
    return this.#args({
      prompt: [putInFront(systemPrompt, prompt)],
      format: 'json',
      mode: 'bypass',
      sessionId,
      model: this.config.model,
      rawArgs: [],
    });
  }

  protected override async makeReady({ sessionId, env }: Turn): Promise<void> {
    if (this.config.user !== undefined) return;
    const home = { ...this.inherited, ...env };
    const { keepConversation, removeStubs } = await import('./gemini/chat-records.js');
    if (sessionId !== undefined) await keepConversation(sessionId, home);
    await removeStubs(home);
  }

  protected describe(turn: Turn, _scratch: string, cli: LocatedCli): Invocation {
    // A session that got these instructions once has them in its history.
    const known = this.#instructions.get(turn.sessionId) === turn.systemPrompt;
    // What another user has there is not looked at: that user's commands may be any.
    const directories = this.config.user === undefined ? [turn.cwd, userHome(this.inherited)] : 'unseen';
    const typed = withoutCommand(turn.prompt, directories, cli.version);
    const { prompt, notices } =
      known || turn.systemPrompt === ''
        ? typed
        : { prompt: putInFront(turn.systemPrompt, turn.prompt), notices: [] };
    const args = this.#args({
      ...turn,
      // Every user of the machine can see arguments, so the prompt is none.
      prompt: [],
      format: turn.stream ? 'stream-json' : 'json',
      mode: turn.permissionMode,
    });
    const env = {
      // Without the relaunch it is a second faster, and signals reach the process that works.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      // An untrusted folder ends the run with 55, even in yolo mode; the caller chose this folder.
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    };
    return { args, env, stdin: prompt, notices };
  }

  protected decoderFor(): WireDecoder<GeminiState> {
    return geminiDecoder;
  }

  protected override answered(turn: Turn, sessionId: string): void {
    if (turn.systemPrompt !== '') this.#instructions.set(sessionId, turn.systemPrompt);
  }

  /**
   * Gemini's stderr is mostly stack traces: the error is in its result, or with the plain format in a document on stderr.
   * The exit code tells most reliably what kind it is.
   */
  protected override vendorFailure(exit: ProcessExit, stderr: string, ending: Ending | undefined) {
    const document = errorDocument(stderr) ?? errorInTrace(stderr);
    const failure = ending?.type === 'failed' ? ending : document && geminiFailure(document);
    const code = statusCodes[exit.code ?? 0] ?? failure?.code ?? ownCode(exit.code ?? 0, stderr);
    return {
      ...(failure === undefined ? {} : { message: failure.message }),
      ...(code === undefined ? {} : { code }),
    };
  }

  protected override stderrReader(tell: (event: StepEvent) => void): (line: string) => void {
    let rest = '';
    return (line) => {
      const [notices, next] = findRetries(`${rest}${line}\n`);
      rest = next;
      for (const event of notices) tell(event);
    };
  }

  #args(parts: {
    prompt: readonly string[];
    format: string;
    mode: PermissionMode;
    sessionId?: string | undefined;
    model?: string | undefined;
    rawArgs: readonly string[];
  }): string[] {
    const args = [
      ...parts.prompt,
      '--output-format',
      parts.format,
      '--approval-mode',
      approvalModes[parts.mode],
    ];
    if (parts.model) args.push('--model', parts.model);
    if (parts.sessionId) args.push('--resume', parts.sessionId);
    args.push(...parts.rawArgs);
    return args;
  }
}

/** Gemini's exit code is the HTTP status mod 256, or one of its own (`ownCode`). */
const statusCodes: Readonly<Record<number, ErrorCode>> = {
  144: 'bad_request',
  145: 'auth',
  147: 'auth',
  173: 'rate_limit',
  244: 'overloaded',
  247: 'overloaded',
};

/** Gemini's own exit codes stand for several things each, so its words come first. */
function ownCode(exitCode: number, stderr: string): ErrorCode | undefined {
  const code = classifyFailure(stderr);
  if (code !== 'unknown') return code;
  if (exitCode === 41) return 'auth';
  return exitCode === 42 || exitCode === 55 ? 'bad_request' : undefined;
}

function errorDocument(stderr: string) {
  for (let at = stderr.lastIndexOf('\n{'); at >= -1; at = stderr.lastIndexOf('\n{', at - 1)) {
    const parsed = parseDocument(stderr.slice(at + 1));
    if (parsed !== undefined) return parsed;
    if (at <= 0) return undefined;
  }
  return undefined;
}

/** The first line of the trace holds the API's answer; what follows are places in Gemini's own code. */
function errorInTrace(stderr: string) {
  const message = /^Error when talking to Gemini API .*?ApiError: (\{.*\})$/m.exec(stderr)?.[1];
  return message === undefined ? undefined : { message };
}

function parseDocument(text: string) {
  const end = text.lastIndexOf('}');
  if (!text.startsWith('{') || end < 0) return undefined;
  try {
    const error = object(object(JSON.parse(text.slice(0, end + 1)))['error']);
    return typeof error['message'] === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
