import { randomBytes } from 'node:crypto';
import { TurnoutError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import { late, within } from '../../../core/wait.js';
import type { ProcessExit, RunningProcess } from '../../../process/start-process.js';
import { writeScratchFiles } from '../../launch/scratch-files.js';
import { startCli } from '../../live/start-cli.js';
import type {
  DescribedContext,
  LiveCommand,
  LiveContext,
  LiveEvent,
  LiveProcess,
  LiveSession,
  LiveSessionOptions,
  TurnEnding,
} from '../../live/types.js';
import { unknownLine } from '../../output/ending.js';
import { isObject, type JsonObject } from '../../output/json.js';
import { object, objects, text } from '../../output/read-fields.js';
import { isSameSession, otherSession } from '../../output/resumed-session.js';
import { failure } from '../failure.js';
import { shownVersion } from '../versions.js';
import { EventStream } from './event-stream.js';
import { readModel } from './message.js';
import {
  agentOf,
  agentRules,
  confirmingRules,
  isPlain,
  plainRules,
  type Rule,
  sessionRules,
  type ToolFilter,
} from './rules.js';
import { OpenCodeSession, type SessionServer } from './session.js';
import { exitError, StartupLines, startMs } from './startup.js';
import { type HttpAnswer, type HttpCall, OpenCodeHttp, serverUser } from './transport.js';

/** Every user of the machine can reach the port. */
export function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

/** `opencode serve`. It does not run in a session's directory: that may be removed while the server stays. */
export function openCodeCommand(
  config: string,
  password: string,
  { env, scratch }: DescribedContext,
): LiveCommand {
  return {
    args: ['serve', '--port', '0', '--hostname', '127.0.0.1'],
    cwd: scratch,
    env: {
      ...env,
      OPENCODE_CONFIG_CONTENT: config,
      OPENCODE_SERVER_USERNAME: serverUser,
      OPENCODE_SERVER_PASSWORD: password,
    },
  };
}

/** Starts `opencode serve` and waits until it takes sessions. */
export async function startOpenCode(config: string, context: LiveContext): Promise<LiveProcess> {
  const password = newPassword();
  await writeScratchFiles(context.scratch, [], context.user);
  const child = await startCli(openCodeCommand(config, password, context), context);
  let server: OpenCodeProcess | undefined;
  try {
    const lines = new StartupLines(child, context.trace);
    const url = await lines.address();
    server = new OpenCodeProcess(child, new OpenCodeHttp(url, password), context);
    await server.listen();
    return server;
  } catch (error) {
    const exit = await child.end();
    if (server === undefined) context.trace?.({ type: 'exit', ...exit, stderr: child.stderr() });
    throw error;
  }
}

class OpenCodeProcess implements LiveProcess, SessionServer {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  version: string | undefined;
  readonly #child: RunningProcess;
  readonly #http: OpenCodeHttp;
  readonly #context: LiveContext;
  readonly #events: EventStream;
  /** The sessions by their own ids and those of their subagents. */
  readonly #sessions = new Map<string, OpenCodeSession>();
  /** Directories of which OpenCode has begun to read the settings. */
  readonly #booted = new Set<string>();
  /** The answers to `GET /agent`, by directory. */
  readonly #agents = new Map<string, unknown>();
  #connected: () => void = () => {};

  constructor(child: RunningProcess, http: OpenCodeHttp, context: LiveContext) {
    this.pid = child.pid;
    this.exited = child.exited;
    this.#child = child;
    this.#http = http;
    this.#context = context;
    this.version = context.version;
    this.#events = new EventStream(http, {
      connected: (again) => this.#onConnected(again),
      event: (data) => this.#onEvent(data),
    });
    void child.exited.then((exit) => this.#onExit(exit));
  }

  /** Resolves when the stream of events is connected: events before that are lost, so no session is opened earlier. */
  async listen(): Promise<void> {
    const connected = new Promise<'connected'>((resolve) => {
      this.#connected = () => resolve('connected');
    });
    void this.#events.run();
    const first = await within<'connected' | ProcessExit>(startMs, connected, this.exited);
    if (first === 'connected') return;
    this.#events.stop();
    throw first === late
      ? new TurnoutError('timeout', 'OpenCode did not open its stream of events.')
      : exitError(this.#child, first);
  }

  async open(options: LiveSessionOptions): Promise<LiveSession> {
    await this.#checkThinking(options);
    return options.sessionId === undefined ? this.#create(options) : this.#resume(options.sessionId, options);
  }

  /** A variant that the model does not have would be ignored (1.18.33). Of a model that is not named nothing is known. */
  async #checkThinking({ model, thinking, cwd }: LiveSessionOptions): Promise<void> {
    const wanted = readModel(model);
    if (wanted === undefined || thinking === undefined) return;
    const { body } = await this.call({ method: 'GET', path: '/config/providers', directory: cwd });
    const provider = objects(object(body)['providers']).find(({ id }) => id === wanted.providerID);
    const known = object(object(provider?.['models'])[wanted.modelID]);
    const variants = Object.keys(object(known['variants']));
    if (provider === undefined || variants.includes(String(thinking))) return;
    const has = variants.length === 0 ? 'It has none.' : `It has: ${variants.join(', ')}.`;
    throw new TurnoutError(
      'unsupported',
      `opencode's model ${model} has no variant "${thinking}" (--thinking). ${has}`,
    );
  }

  async end(): Promise<void> {
    this.#events.stop();
    await this.#child.end();
  }

  async call(call: HttpCall): Promise<HttpAnswer> {
    const { trace } = this.#context;
    const what = `${call.method} ${call.path}`;
    trace?.({ type: 'line', direction: 'out', line: withBody(what, call.body), events: [] });
    try {
      const answer = await this.#http.call(call);
      const line = trace && withBody(`${answer.status} ${what}`, answer.body);
      if (line !== undefined) this.traceLine(line, []);
      return answer;
    } catch (error) {
      // A process that dies breaks its connections first.
      const exit = await within(exitMs, this.exited);
      throw exit === late ? error : exitError(this.#child, exit);
    }
  }

  adopt(sessionId: string, owner: OpenCodeSession): void {
    this.#sessions.set(sessionId, owner);
  }

  forget(sessionIds: Iterable<string>): void {
    for (const id of sessionIds) this.#sessions.delete(id);
  }

  traceLine(line: string, events: readonly LiveEvent[]): void {
    this.#context.trace?.({ type: 'line', direction: 'in', line, events });
  }

  /** OpenCode reads its settings once for each directory, so its agents' rules stay what they are. */
  async rules(directory: string, mode: PermissionMode, filter: ToolFilter): Promise<readonly Rule[]> {
    let agents = this.#agents.get(directory);
    if (agents === undefined) {
      const { status, body } = await this.call({ method: 'GET', path: '/agent', directory });
      if (status !== 200) throw refusal(`the rules of ${directory}`, status, object(body));
      agents = body;
      this.#agents.set(directory, agents);
    }
    return sessionRules(mode, agentRules(agents, agentOf(mode) ?? 'build'), filter);
  }

  async #create(options: LiveSessionOptions): Promise<LiveSession> {
    const { cwd, permissionMode } = options;
    const { confirmTools } = options;
    const plain = !confirmTools && isPlain(permissionMode, options);
    const modeRules = plain ? plainRules() : await this.rules(cwd, permissionMode, options);
    const permission = confirmTools ? confirmingRules(modeRules) : modeRules;
    // A session without a title costs a model call of its own to find one.
    const body = { title: 'turnout', permission };
    const answer = await this.call({ method: 'POST', path: '/session', directory: cwd, body });
    const info = object(answer.body);
    if (answer.status !== 200 || text(info['id']) === '') throw refusal('a new session', answer.status, info);
    this.version = shownVersion(info) ?? this.version;
    return this.#session(info, options, modeRules);
  }

  async #resume(id: string, options: LiveSessionOptions): Promise<LiveSession> {
    const { status, body } = await this.call({
      method: 'GET',
      path: `/session/${encodeURIComponent(id)}`,
      directory: options.cwd,
    });
    const info = object(body);
    // An id that could never be one is answered with 500.
    if (status === 404 || (status >= 400 && !/^ses_\w+$/.test(id))) {
      throw new TurnoutError('session_not_found', `OpenCode has no session ${id}: Session not found`);
    }
    const told = text(info['id']);
    if (status !== 200 || told === '') throw refusal(`the session ${id}`, status, info);
    if (!isSameSession(id, told))
      throw new TurnoutError('session_not_found', otherSession('OpenCode', id, told));
    const session = this.#session(info, options);
    await session.setPermissionMode(options.permissionMode);
    return session;
  }

  #session(info: JsonObject, options: LiveSessionOptions, modeRules: readonly Rule[] = []): OpenCodeSession {
    const facts = { id: text(info['id']), directory: text(info['directory']) || options.cwd };
    const session = new OpenCodeSession(this, facts, options, modeRules);
    this.adopt(session.sessionId, session);
    this.#boot(facts.directory);
    return session;
  }

  /** The first turn in a directory takes a second longer (1.18.33: providers, plugins); most of it can begin now. */
  #boot(directory: string): void {
    if (this.#booted.has(directory)) return;
    this.#booted.add(directory);
    void this.call({ method: 'GET', path: '/config/providers', directory }).catch(() => undefined);
  }

  #onConnected(again: boolean): void {
    this.#connected();
    if (again) for (const session of new Set(this.#sessions.values())) void session.resync();
  }

  #onEvent(data: string): void {
    // OpenCode sends each stored change a second time, for other servers to copy.
    if (data.includes('"payload":{"type":"sync"')) {
      this.traceLine(data, []);
      return;
    }
    const event = readEvent(data);
    if (event === undefined) {
      const unknown = unknownLine('A line that is not JSON', data);
      for (const session of new Set(this.#sessions.values())) session.deliver(unknown);
      this.traceLine(data, [unknown]);
      return;
    }
    const properties = object(event['properties']);
    const parent = text(object(properties['info'])['parentID']);
    const id = text(properties['sessionID']);
    const owner = this.#sessions.get(id) ?? (parent === '' ? undefined : this.#sessions.get(parent));
    if (owner !== undefined) {
      owner.receive(event, data);
      return;
    }
    this.traceLine(data, []);
    if (event['type'] === 'permission.asked') this.#reject(properties);
  }

  /** Rejects a request that nobody is left to answer, so that OpenCode does not wait for ever. */
  #reject(request: JsonObject): void {
    const path = `/permission/${encodeURIComponent(text(request['id']))}/reply`;
    void this.call({ method: 'POST', path, body: { reply: 'reject' } }).catch(() => undefined);
  }

  #onExit(exit: ProcessExit): void {
    this.#events.stop();
    this.#context.trace?.({ type: 'exit', ...exit, stderr: this.#child.stderr() });
    const { message } = exitError(this.#child, exit);
    const ending: TurnEnding['ending'] = { type: 'failed', code: 'crashed', message };
    for (const session of new Set(this.#sessions.values())) session.terminate(ending);
  }
}

function readEvent(data: string): JsonObject | undefined {
  try {
    const parsed = parseJson(data);
    if (!isObject(parsed)) return undefined;
    return isObject(parsed['payload']) ? parsed['payload'] : parsed;
  } catch {
    return undefined;
  }
}

function refusal(what: string, status: number, body: JsonObject): TurnoutError {
  const { code, message } = failure(body);
  return new TurnoutError(code ?? 'unknown', `OpenCode did not open ${what} (HTTP ${status}): ${message}`);
}

function withBody(what: string, body: unknown): string {
  return body === undefined ? what : `${what} ${JSON.stringify(body)}`;
}

const exitMs = 500;
