import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StepEvent } from '../../../core/chat-event.js';
import { TurnoutError } from '../../../core/errors.js';
import { within } from '../../../core/wait.js';
import type { ProcessExit, RunningProcess } from '../../../process/start-process.js';
import { readMcpServers } from '../../launch/mcp-config.js';
import type {
  LiveContext,
  LiveEvent,
  LiveProcess,
  LiveSession,
  LiveSessionOptions,
} from '../../live/types.js';
import { describeDeath } from '../../output/describe-death.js';
import { unknownLine } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { object, objects, text } from '../../output/read-fields.js';
import { isSameSession, otherSession } from '../../output/resumed-session.js';
import { withoutNoise } from '../../output/stderr.js';
import type { RecentSessions } from '../../recent-sessions.js';
import type { TraceEntry } from '../../types.js';
import { reasoningEffort } from '../arguments.js';
import { codexMcpServers } from '../mcp-servers.js';
import { shownVersion } from '../versions.js';
import { decodeNotification, optedOutMethods } from './notifications.js';
import { hasPolicy, threadPolicy, turnPolicy } from './permissions.js';
import { CodexSession, maxUndelivered } from './session.js';
import type { CodexMessage } from './state.js';
import { CodexConnection } from './transport.js';

/** MCP servers may take their time to start. */
const openMs = 60_000;
const startMs = 30_000;
const closeMs = 3000;
const exitMs = 500;

/** Fingerprints of the instructions that threads are known to have. */
export type KnownInstructions = RecentSessions<string>;

/** One `codex app-server`, with any number of threads. */
export class CodexProcess implements LiveProcess {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  version: string | undefined;
  readonly #child: RunningProcess;
  readonly #connection: CodexConnection;
  readonly #knownInstructions: KnownInstructions;
  readonly #trace: ((entry: TraceEntry) => void) | undefined;
  readonly #env: Readonly<Record<string, string>>;
  readonly #sessions = new Map<string, CodexSession>();
  /** Called when the server has unloaded a thread, by its id. */
  readonly #onUnloaded = new Map<string, () => void>();
  readonly #finished: Promise<void>;
  /** Events that came while there was no session. */
  #undelivered: readonly StepEvent[] = [];
  /** `apiKey`, `chatgpt` or another kind of account; none if the provider has a key of its own. */
  #keySource: string | undefined;
  #ending = false;

  constructor(
    child: RunningProcess,
    knownInstructions: KnownInstructions,
    { trace, env = {} }: Partial<Pick<LiveContext, 'trace' | 'env'>> = {},
  ) {
    this.pid = child.pid;
    this.exited = child.exited;
    this.#child = child;
    this.#knownInstructions = knownInstructions;
    this.#trace = trace;
    this.#env = env;
    this.#connection = new CodexConnection(child, {
      receive: (message) => this.#receive(message),
      garbage: (line) => this.#deliverToAll([unknownLine('A line that is not JSON-RPC', line)]),
      trace,
    });
    this.#finished = this.#run();
  }

  async initialize(installedVersion?: string): Promise<void> {
    const params = {
      clientInfo: { name: 'turnout', title: 'Turnout', version: '0' },
      capabilities: {
        // Without this nothing ends a tool that an interrupted turn leaves behind.
        experimentalApi: true,
        requestAttestation: false,
        optOutNotificationMethods: [...optedOutMethods],
      },
    };
    const answer = await this.#connection.request('initialize', params, startMs);
    this.version = shownVersion(answer) ?? installedVersion;
    this.#connection.notify('initialized');
    this.#askForAccount();
  }

  async open(options: LiveSessionOptions): Promise<LiveSession> {
    const { sessionId } = options;
    if (sessionId !== undefined && this.#sessions.has(sessionId)) {
      throw new TurnoutError('bad_request', `The Codex session ${sessionId} is already open.`);
    }
    const params = await threadParams(options, this.#env);
    let session: CodexSession | undefined;
    let resumedWith = '';
    let told = '';
    // Notifications about the thread may follow the answer at once: the session must be there for them.
    const opened = (result: JsonObject) => {
      const threadId = text(object(result['thread'])['id']);
      told = threadId;
      if (threadId === '' || (sessionId !== undefined && !isSameSession(sessionId, threadId))) return;
      session = this.#add(threadId, options, result);
      resumedWith = sessionId === undefined ? '' : text(result['reasoningEffort']);
    };
    if (sessionId === undefined) {
      const instructions = options.systemPrompt === '' ? {} : { developerInstructions: options.systemPrompt };
      await this.#connection.request('thread/start', { ...params, ...instructions }, openMs, opened);
    } else {
      await this.#resume({ ...params, threadId: sessionId, excludeTurns: true }, opened);
    }
    if (session === undefined) {
      throw new TurnoutError('session_not_found', otherSession('Codex', sessionId ?? '', told));
    }
    // A thread keeps the effort of its last turn (0.166.0).
    if (resumedWith !== '' && options.thinking === undefined) {
      const usual = await this.#usualEffort(session.model);
      if (usual !== resumedWith && usual !== '') session.setEffort(usual);
    }
    return session;
  }

  /** The effort of a new thread: that of the settings, or the model's own. Empty if it is not known. */
  async #usualEffort(model: string): Promise<string> {
    const [settings, models] = await Promise.all([
      this.#connection.request('config/read', {}, startMs),
      this.#connection.request('model/list', {}, startMs),
    ]).catch((): JsonObject[] => []);
    const known = objects(models?.['data']).find((one) => one['model'] === model);
    return (
      text(object(settings?.['config'])['model_reasoning_effort']) || text(known?.['defaultReasoningEffort'])
    );
  }

  /** Asks for the kind of account, which a session tells with each turn as soon as it is known. */
  #askForAccount(): void {
    const told = (answer: JsonObject) => {
      this.#keySource = text(object(answer['account'])['type']) || undefined;
    };
    this.#connection.request('account/read', { refreshToken: false }, startMs, told).catch(() => undefined);
  }

  /** A thread that was unloaded a moment ago may still be closing, though the server has said that it was closed. */
  async #resume(params: JsonObject, opened: (result: JsonObject) => void): Promise<void> {
    for (const giveUpAt = performance.now() + closeMs; ; await sleep(20)) {
      try {
        await this.#connection.request('thread/resume', params, openMs, opened);
        return;
      } catch (error) {
        const closing = error instanceof TurnoutError && error.message.includes('is closing; retry');
        if (!closing || performance.now() > giveUpAt) throw error;
      }
    }
  }

  async end(): Promise<void> {
    this.#ending = true;
    await this.#child.end();
    await this.#finished;
  }

  #add(threadId: string, options: LiveSessionOptions, result: JsonObject): CodexSession {
    const fingerprint = createHash('sha256').update(options.systemPrompt).digest('base64');
    const isNew = options.sessionId === undefined;
    const instructed =
      isNew || options.systemPrompt === '' || this.#knownInstructions.get(threadId) === fingerprint;
    if (isNew) this.#knownInstructions.set(threadId, fingerprint);
    const session = new CodexSession({
      connection: this.#connection,
      threadId,
      model: text(result['model']),
      keySource: () => this.#keySource,
      cwd: options.cwd,
      mode: options.permissionMode,
      confirmTools: options.confirmTools ?? false,
      overrides: missingSettings(options, result),
      instructions: instructed ? '' : options.systemPrompt,
      onInstructed: () => this.#knownInstructions.set(threadId, fingerprint),
      unload: () => this.#unload(threadId),
    });
    this.#sessions.set(threadId, session);
    session.deliver(this.#undelivered);
    this.#undelivered = [];
    return session;
  }

  /** Until the server has unloaded a thread, no other process can resume it. */
  async #unload(threadId: string): Promise<void> {
    try {
      const unloaded = new Promise<void>((resolve) => this.#onUnloaded.set(threadId, resolve));
      await this.#connection.request('thread/unsubscribe', { threadId }, closeMs);
      await within<unknown>(closeMs, unloaded, this.exited);
    } catch {
      // A process that is gone holds no thread.
    } finally {
      this.#onUnloaded.delete(threadId);
      this.#sessions.delete(threadId);
    }
  }

  #receive(message: CodexMessage): readonly LiveEvent[] {
    const { value } = message;
    const params = object(value['params']);
    const threadId = text(params['threadId']) || text(object(params['thread'])['id']);
    const method = text(value['method']);
    const session = this.#sessions.get(threadId);
    const parent = session ?? [...this.#sessions.values()].find((one) => one.hasChild(threadId));
    if (value['id'] !== undefined) {
      if (parent !== undefined) return parent.receiveRequest(message);
      this.#connection.refuse(value['id'], method);
      return [];
    }
    if (method === 'thread/closed') this.#onUnloaded.get(threadId)?.();
    if (session !== undefined) return session.receiveNotification(message);
    if (parent !== undefined) parent.receiveChildNotification(message);
    if (threadId !== '') return [];
    if (method === 'account/rateLimits/updated') {
      return [...this.#sessions.values()].flatMap((one) => one.receiveNotification(message));
    }
    return this.#deliverToAll(decodeNotification(method, params, message.raw));
  }

  #deliverToAll(events: readonly StepEvent[]): readonly StepEvent[] {
    if (this.#sessions.size === 0)
      this.#undelivered = [...this.#undelivered, ...events].slice(-maxUndelivered);
    else for (const session of this.#sessions.values()) session.deliver(events);
    return events;
  }

  async #run(): Promise<void> {
    const broken = await this.#connection.read().then(() => undefined, unreadable);
    const exit = await this.#exitOf();
    const error = this.#ending ? endedByUs : (broken ?? crash(exit, this.#child.stderr()));
    this.#connection.close(error);
    for (const session of this.#sessions.values()) session.terminate(error);
    this.#sessions.clear();
    this.#trace?.({ type: 'exit', ...exit, stderr: this.#child.stderr() });
    // Tools outlive a server that was killed.
    await this.#child.end();
  }

  /** A server that has closed its output and does not exit is ended. */
  async #exitOf(): Promise<ProcessExit> {
    await within(exitMs, this.exited);
    return this.#child.end();
  }
}

const endedByUs = new TurnoutError('interrupted', 'The Codex process was ended.');

/** The error of a server that was ended because its output could not be taken; the fault is not the server's. */
function unreadable(cause: unknown): TurnoutError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new TurnoutError('crashed', `The output of Codex could not be read: ${why}`, { cause });
}

const noise: readonly RegExp[] = [
  /^WARNING: proceeding, even though we could not/,
  /could not find bubblewrap on PATH/,
  /codex_core::tools::router/,
  /^\s*$/,
];

function crash(exit: ProcessExit, stderr: string): TurnoutError {
  return new TurnoutError('crashed', describeDeath('Codex', exit, withoutNoise(stderr, noise)));
}

async function threadParams(
  options: LiveSessionOptions,
  env: Readonly<Record<string, string>>,
): Promise<JsonObject> {
  // Codex opens a thread anywhere, and only its tools fail there.
  const directory = await stat(options.cwd).catch(() => undefined);
  if (!directory?.isDirectory()) {
    throw new TurnoutError('bad_request', `The working directory ${options.cwd} is not there.`);
  }
  const servers =
    options.mcpConfig === undefined
      ? undefined
      : codexMcpServers(await readMcpServers(options.mcpConfig, env));
  return {
    cwd: options.cwd,
    ...(options.model === undefined ? {} : { model: options.model }),
    ...threadPolicy(options),
    ...(servers === undefined ? {} : { config: { mcp_servers: servers } }),
  };
}

/** The settings to give to the first turn: a thread that the server still had loaded keeps those it had. */
function missingSettings(options: LiveSessionOptions, result: JsonObject): JsonObject {
  const effort = reasoningEffort(options.thinking);
  return {
    ...(result['cwd'] === options.cwd ? {} : { cwd: options.cwd }),
    ...(options.model === undefined || result['model'] === options.model ? {} : { model: options.model }),
    ...(effort === undefined || result['reasoningEffort'] === effort ? {} : { effort }),
    ...(hasPolicy(result, options) ? {} : turnPolicy(options)),
  };
}
