import { isVettingNotice } from '../../backends/launch/vetted.js';
import { withEvents } from '../../backends/one-shot/with-events.js';
import {
  type AnyBackendName,
  backendEntry,
  createBackend,
  findBackendName,
} from '../../backends/registry.js';
import type {
  BackendAdapter,
  BackendAdapterConfig,
  EventBackend,
  TurnOptions,
} from '../../backends/types.js';
import { type ChatEvent, interruptedEvent, type PermissionDecision } from '../../core/chat-event.js';
import { failureEvent, interruptedError, TurnoutError } from '../../core/errors.js';
import { abortable, within } from '../../core/wait.js';
import { Sessions } from '../../sessions/sessions.js';
import type { BackendSession } from '../../sessions/types.js';
import { backendConfig, type Environment, type GatewayConfig, settingsLeftOut } from '../config.js';
import type { AgentTraces } from './agent-traces.js';

export interface AgentRequest extends TurnOptions {
  readonly channel: string;
  readonly backend: AnyBackendName;
  readonly prompt: string;
  readonly cwd: string;
  readonly live: boolean;
  /** A one-shot CLI writes its stdout there: the file is still readable after the gateway was killed. */
  readonly stdoutFile?: string | undefined;
}

/** A turn of an agent, as it runs. */
export interface AgentTurn {
  readonly events: AsyncIterable<ChatEvent>;
  /** True if the CLI had to load the session from its own record. False before the turn has begun. */
  readonly resumed: boolean;
  answerPermission(id: string, decision: PermissionDecision, message?: string): Promise<void>;
  /** Says something into the running turn. False: the CLI can't, or the turn is over. */
  steer(text: string): Promise<boolean>;
}

export interface AgentsOptions {
  /** The most channels with an open session. */
  readonly maxOpen?: number;
  readonly traces?: AgentTraces | undefined;
  /** Called with what the operator has to know: a setting that another backend does not get. */
  readonly warn?: (text: string) => void;
}

const closeMs = 10_000;

/** Runs turns with any backend, over sessions that are kept open for their channels. */
export class Agents {
  readonly #config: GatewayConfig;
  readonly #env: Environment | undefined;
  readonly #adapters = new Map<AnyBackendName, EventBackend>();
  readonly #sessions: Sessions;
  /** The channels' open sessions in the order of their use: the first one is unused for longest. */
  readonly #open = new Map<
    string,
    { readonly key: string; readonly session: BackendSession; busy: boolean }
  >();
  readonly #maxOpen: number;
  readonly #warn: (text: string) => void;
  readonly #traces: AgentTraces | undefined;
  /** What the last turn of a backend told of a version that was not vetted. */
  readonly #versionNotices = new Map<AnyBackendName, string>();
  readonly #warnedOf = new Set<string>();

  /** `backend` is the one for `config.agentBackend`; the others are made when they are needed. */
  constructor(
    config: GatewayConfig,
    backend: BackendAdapter,
    env?: Environment,
    { maxOpen = 256, traces, warn = () => undefined }: AgentsOptions = {},
  ) {
    this.#traces = traces;
    this.#config = config;
    this.#env = env;
    this.#maxOpen = maxOpen;
    this.#warn = warn;
    const made = { cwd: config.workingDir, model: config.backendModel };
    this.#adapters.set(config.agentBackend, withEvents(backend, made));
    this.#sessions = new Sessions(config.pool);
  }

  get processes(): number {
    return this.#sessions.processes;
  }

  adapter(name: AnyBackendName): EventBackend {
    const known = this.#adapters.get(name);
    if (known !== undefined) return known;
    const created = createBackend(name, this.configOf(name));
    this.#adapters.set(name, created);
    const leftOut = this.settingsLeftOut(name);
    if (leftOut !== undefined) this.#warn(leftOut);
    return created;
  }

  /** The backend of that name, if this gateway has it. */
  find(written: string): EventBackend | undefined {
    // One that was given to the gateway need not be registered.
    const name = this.#adapters.has(written) ? written : findBackendName(written);
    return name === undefined ? undefined : this.adapter(name);
  }

  /** Names the settings of AGENT_BACKEND that don't count for another backend. */
  settingsLeftOut(name: AnyBackendName): string | undefined {
    return settingsLeftOut(this.#config, name);
  }

  /**
   * Says that the CLI's version was not vetted, with what to do. The files around the CLI tell its version; where they don't,
   * what the last turn told counts. No CLI is started for it.
   */
  async versionNotice(name: AnyBackendName): Promise<string | undefined> {
    try {
      const adapter = this.adapter(name);
      const { version } = (await adapter.locate?.()) ?? {};
      if (version !== undefined) return adapter.versionNotice?.(version)?.message;
    } catch {
      // A CLI that is not there is told of by the turn that needs it.
    }
    return this.#versionNotices.get(name);
  }

  /** True if a live turn of the backend takes a message in. */
  async steers(name: AnyBackendName): Promise<boolean> {
    try {
      return (await this.adapter(name).live?.())?.capabilities.steer === true;
    } catch {
      // One that can't be used takes none.
      return false;
    }
  }

  /** The operator is told of each version once: every turn carries the notice. */
  #see(backend: AnyBackendName, event: ChatEvent): void {
    if (!isVettingNotice(event)) return;
    this.#versionNotices.set(backend, event.message);
    if (this.#warnedOf.has(event.message)) return;
    this.#warnedOf.add(event.message);
    this.#warn(event.message);
  }

  /** BACKEND_CLI_PATH and BACKEND_MODEL belong to AGENT_BACKEND's CLI only. */
  configOf(name: AnyBackendName): BackendAdapterConfig {
    const config = backendConfig(this.#config, this.#env);
    if (name === this.#config.agentBackend) return config;
    return { ...config, cliPath: backendEntry(name).command, model: undefined };
  }

  run(request: AgentRequest, signal: AbortSignal): AgentTurn {
    let session: BackendSession | undefined;
    let resumed = false;
    const enter = (): Promise<BackendSession> => {
      resumed = request.sessionId !== undefined && !this.#isOpen(request);
      return this.#enter(request, signal);
    };
    const see = (event: ChatEvent): void => this.#see(request.backend, event);
    const leave = (): void => this.#left(request.channel);
    async function* events(): AsyncGenerator<ChatEvent> {
      try {
        signal.throwIfAborted();
        session = await abortable(enter(), signal);
      } catch (error) {
        if (signal.aborted) yield interruptedEvent;
        else if (error instanceof TurnoutError) yield failureEvent(error);
        else throw error;
        return;
      }
      try {
        const { prompt, stdoutFile, channel } = request;
        const sent = { signal, stdoutFile, conversation: `channel ${channel}` };
        for await (const event of session.send(prompt, sent)) {
          see(event);
          // A backend that speaks another one's protocol goes by its own name.
          yield event.type === 'session' ? { ...event, backend: request.backend } : event;
        }
      } finally {
        if (request.live) leave();
        else await session.close();
      }
    }
    return {
      events: events(),
      get resumed() {
        return resumed;
      },
      answerPermission: async (id, decision, message) => {
        if (session === undefined) throw new TurnoutError('bad_request', 'The turn has not begun.');
        await session.answerPermission(id, decision, message);
      },
      steer: async (text) => (await session?.steer(text)) ?? false,
    };
  }

  async close(): Promise<void> {
    this.#open.clear();
    // A CLI that hangs while it starts is ended with our own process, at the latest.
    await within(closeMs, this.#sessions.close());
  }

  /** Gives the channel's open session if it fits the request, else opens another one in its place. */
  async #enter(request: AgentRequest, signal: AbortSignal): Promise<BackendSession> {
    const { channel, prompt: _prompt, stdoutFile: _file, ...options } = request;
    const key = keyOf(request);
    const known = this.#open.get(channel);
    const fits = this.#fits(request);
    this.#open.delete(channel);
    if (known !== undefined && fits) {
      this.#open.set(channel, { ...known, busy: true });
      return known.session;
    }
    await known?.session.close();
    // A one-shot session has nothing to keep. And one that is opened with an id never begins anew by itself when the CLI does
    // not know the id: the runtime hears of it, and tells the conversation again.
    if (!options.live) return this.#openSession(options, signal, channel);
    await this.#makeRoom();
    const session = await this.#openSession(options, signal);
    if (signal.aborted) {
      // Nobody waited for it: the channel may have another one by now.
      await session.close();
      throw interruptedError();
    }
    this.#open.set(channel, { key, session, busy: true });
    return session;
  }

  /** True if the channel's open session is the one of the request, with the same settings. */
  #fits(request: AgentRequest): boolean {
    const known = this.#open.get(request.channel);
    return known?.key === keyOf(request) && known.session.sessionId === request.sessionId;
  }

  #isOpen(request: AgentRequest): boolean {
    return this.#fits(request) && this.#open.get(request.channel)?.session.isOpenInProcess === true;
  }

  /** Channels share live processes, so that only the trace of a one-shot turn belongs to a channel. */
  #openSession(
    options: TurnOptions & { backend: AnyBackendName; live: boolean },
    signal: AbortSignal,
    channel?: string,
  ) {
    const { backend } = options;
    const trace = this.#traces?.of(backend, channel);
    const clocks = { ...this.#config.clocks, turnMs: this.#config.queryTimeoutMs };
    const made = { config: this.configOf(backend), adapter: this.adapter(backend), clocks };
    return this.#sessions.open({ ...options, ...made, trace }, { signal });
  }

  #left(channel: string): void {
    const entry = this.#open.get(channel);
    if (entry !== undefined) entry.busy = false;
  }

  async #makeRoom(): Promise<void> {
    for (const [channel, entry] of this.#open) {
      if (this.#open.size < this.#maxOpen) return;
      if (entry.busy) continue;
      this.#open.delete(channel);
      await entry.session.close();
    }
  }
}

/** The settings of a turn that a session is opened with. */
function keyOf(request: AgentRequest): string {
  const { channel: _channel, prompt: _prompt, stdoutFile: _file, sessionId: _session, ...kept } = request;
  return JSON.stringify(kept);
}
