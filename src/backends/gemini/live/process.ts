import type { StepEvent } from '../../../core/chat-event.js';
import { TurnoutError } from '../../../core/errors.js';
import type { ProcessExit, RunningProcess } from '../../../process/start-process.js';
import type {
  LiveContext,
  LiveEvent,
  LiveProcess,
  LiveSession,
  LiveSessionOptions,
} from '../../live/types.js';
import { classifyFailure } from '../../output/classify-failure.js';
import { unknownLine } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';
import { keepConversation, rememberRecord, removeStubs } from '../chat-records.js';
import { shownVersion } from '../versions.js';
import {
  acpMcpServers,
  checkSessionId,
  configureSession,
  loadSession,
  newSession,
  type Opened,
  Replay,
} from './opening.js';
import { RetryLog } from './retries.js';
import { GeminiSession } from './session.js';
import { GeminiConnection, type Incoming } from './transport.js';

/** Twenty processes that start at once need half a minute on two cores. */
const startMs = 60_000;

/** One `gemini --acp`, with any number of sessions. */
export class GeminiProcess implements LiveProcess {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  version: string | undefined;
  readonly #child: RunningProcess;
  readonly #context: LiveContext;
  readonly #connection: GeminiConnection;
  readonly #sessions = new Map<string, GeminiSession>();
  readonly #replays = new Map<string, Replay>();
  /** The session of a prompt, by the id of its request. */
  readonly #prompts = new Map<unknown, string>();
  /** The outcomes of permission requests, by the id of the request. */
  readonly #outcomes = new Map<unknown, Promise<JsonObject>>();
  readonly #retries: RetryLog;
  #crash: TurnoutError | undefined;
  #ending = false;

  constructor(child: RunningProcess, context: LiveContext) {
    this.#child = child;
    this.#context = context;
    this.pid = child.pid;
    this.exited = child.exited;
    this.#retries = new RetryLog(context.scratch, (event) => this.#deliverToAll(event));
    this.#connection = new GeminiConnection(child, {
      incoming: (incoming) => this.#incoming(incoming),
      outgoing: (message, raw) => this.#outgoing(message, raw),
      garbage: (raw) =>
        this.#trace('in', raw, this.#deliverToAll(unknownLine('A line that is not a message', raw))),
      permission: async (requestId) => {
        const outcome = this.#outcomes.get(requestId) ?? { outcome: { outcome: 'cancelled' } };
        this.#outcomes.delete(requestId);
        return outcome;
      },
    });
  }

  /** Resolves when the process takes sessions. */
  async initialize(): Promise<void> {
    const { closed, drained } = await this.#connection.connect();
    void closed.then(() => this.#onClosed(drained));
    try {
      // The client offers no file system and no terminal: Gemini uses its own.
      const params = { protocolVersion: 1, clientCapabilities: {} };
      this.version =
        shownVersion(await this.#connection.request('initialize', params, startMs)) ?? this.#context.version;
    } catch (error) {
      throw error instanceof TurnoutError ? startFailure(error) : error;
    }
  }

  async open(options: LiveSessionOptions): Promise<LiveSession> {
    if (this.#crash !== undefined) throw this.#crash;
    const mcpServers =
      options.mcpConfig === undefined ? [] : await acpMcpServers(options.mcpConfig, this.#context.env);
    const place = { cwd: options.cwd, mcpServers };
    const opened =
      options.sessionId === undefined
        ? await newSession(this.#connection, place, options.systemPrompt)
        : await this.#load(options.sessionId, place, options.systemPrompt);
    const { sessionId } = opened;
    await configureSession(this.#connection, opened, options);
    const current = text(object(opened.answer['models'])['currentModelId']);
    const session = new GeminiSession({
      sessionId,
      connection: this.#connection,
      mode: options.permissionMode,
      confirmTools: options.confirmTools ?? false,
      model: options.model ?? (current || undefined),
      pendingInstructions: opened.pendingInstructions,
      restoreRecord:
        options.sessionId === undefined && this.#context.user === undefined
          ? rememberRecord(sessionId, this.#context.env)
          : undefined,
      turnBegan: () => this.#retries.watch(),
      turnEnded: () => {
        if (![...this.#sessions.values()].some(({ running }) => running)) this.#retries.pause();
      },
      closed: (which) => {
        if (this.#sessions.get(sessionId) === which) this.#sessions.delete(sessionId);
      },
    });
    if (this.#crash !== undefined) throw this.#crash;
    this.#sessions.set(sessionId, session);
    return session;
  }

  async end(): Promise<void> {
    this.#ending = true;
    await this.#child.end();
  }

  async #load(sessionId: string, place: JsonObject, systemPrompt: string): Promise<Opened> {
    checkSessionId(sessionId);
    const before = this.#sessions.get(sessionId);
    if (before?.running || this.#replays.has(sessionId)) {
      throw new TurnoutError('bad_request', `The session ${sessionId} is in use`);
    }
    before?.terminate(new TurnoutError('bad_request', 'The session was opened anew.'));
    this.#sessions.delete(sessionId);
    const replay = new Replay(systemPrompt);
    this.#replays.set(sessionId, replay);
    try {
      if (this.#context.user === undefined) await keepConversation(sessionId, this.#context.env);
      const opened = await loadSession(this.#connection, sessionId, place, replay);
      if (this.#context.user === undefined) await removeStubs(this.#context.env, sessionId);
      return opened;
    } finally {
      this.#replays.delete(sessionId);
    }
  }

  #incoming({ message, raw }: Incoming): void {
    this.#trace('in', raw, this.#route(message, raw));
  }

  #route(message: JsonObject, raw: string): readonly LiveEvent[] {
    const params = object(message['params']);
    const sessionId = text(params['sessionId']);
    switch (message['method']) {
      case 'session/update': {
        const update = object(params['update']);
        this.#replays.get(sessionId)?.receive(update);
        return this.#sessions.get(sessionId)?.receive({ type: 'update', update, raw }) ?? [];
      }
      case 'session/request_permission': {
        // Of two with one id the second is withdrawn: its outcome must not become that of the first.
        if (this.#outcomes.has(message['id'])) return [];
        const requested = this.#sessions.get(sessionId)?.requestPermission(params);
        if (requested !== undefined) this.#outcomes.set(message['id'], requested.outcome);
        return requested?.events ?? [];
      }
      case undefined:
        return this.#answered(message);
      default:
        return this.#deliverToAll(unknownLine('An unknown message', raw));
    }
  }

  #answered(message: JsonObject): readonly LiveEvent[] {
    const sessionId = this.#prompts.get(message['id']);
    if (sessionId === undefined) return [];
    this.#prompts.delete(message['id']);
    const session = this.#sessions.get(sessionId);
    return (
      ('error' in message
        ? session?.receive({ type: 'error', error: object(message['error']) })
        : session?.receive({ type: 'result', result: object(message['result']) })) ?? []
    );
  }

  #outgoing(message: JsonObject, raw: string): void {
    if (message['method'] === 'session/prompt') {
      this.#prompts.set(message['id'], text(object(message['params'])['sessionId']));
    }
    this.#trace('out', raw, []);
  }

  /** Delivers an event that concerns the whole process to every session with a running turn. */
  #deliverToAll(event: StepEvent): readonly StepEvent[] {
    for (const session of this.#sessions.values()) session.deliver(event);
    return [event];
  }

  #trace(direction: 'in' | 'out', line: string, events: readonly LiveEvent[]): void {
    this.#context.trace?.({ type: 'line', direction, line, events });
  }

  /** When the connection has closed, for whatever reason, nothing of the process may stay. */
  async #onClosed(drained: Promise<void>): Promise<void> {
    const ended = this.#ending;
    const exit = await this.#child.end();
    await drained;
    this.#crash = ended
      ? new TurnoutError('crashed', 'The Gemini process was ended')
      : await this.#connection.crashError();
    for (const session of this.#sessions.values()) session.terminate(this.#crash);
    this.#sessions.clear();
    await this.#retries.close();
    this.#context.trace?.({ type: 'exit', ...exit, stderr: this.#child.stderr() });
  }
}

/** The output of a Gemini that could not start says what is missing: an account, mostly. */
function startFailure(error: TurnoutError): TurnoutError {
  const code = error.code === 'crashed' ? classifyFailure(error.message) : 'unknown';
  return code === 'unknown' ? error : new TurnoutError(code, error.message, { cause: error });
}
