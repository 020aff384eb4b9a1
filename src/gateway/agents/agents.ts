import { type BackendName, backends, createBackend } from '../../backends/registry.js';
import type { BackendAdapter, BackendAdapterConfig, TurnOptions } from '../../backends/types.js';
import { type ChatEvent, interruptedEvent, type PermissionDecision } from '../../core/chat-event.js';
import { failureEvent, interruptedError, TurnoutError } from '../../core/errors.js';
import { abortable, within } from '../../core/wait.js';
import { Sessions } from '../../sessions/sessions.js';
import type { BackendSession } from '../../sessions/types.js';
import { backendConfig, type Environment, type GatewayConfig } from '../config.js';

export interface AgentRequest extends TurnOptions {
  readonly channel: string;
  readonly backend: BackendName;
  readonly prompt: string;
  readonly cwd: string;
  readonly live: boolean;
  /** A one-shot CLI writes its stdout there: the file is still readable after the gateway was killed. */
  readonly stdoutFile?: string | undefined;
}

/** A turn of an agent, as it runs. */
export interface AgentTurn {
  readonly events: AsyncIterable<ChatEvent>;
  answerPermission(id: string, decision: PermissionDecision, message?: string): Promise<void>;
  /** Says something into the running turn. False: the CLI can't, or the turn is over. */
  steer(text: string): Promise<boolean>;
}

const closeMs = 10_000;

/** Runs turns with any backend, over sessions that are kept open for their channels. */
export class Agents {
  readonly #config: GatewayConfig;
  readonly #env: Environment | undefined;
  readonly #adapters = new Map<BackendName, BackendAdapter>();
  readonly #sessions: Sessions;
  /** The channels' open sessions in the order of their use: the first one is unused for longest. */
  readonly #open = new Map<
    string,
    { readonly key: string; readonly session: BackendSession; busy: boolean }
  >();
  readonly #maxOpen: number;

  constructor(config: GatewayConfig, backend: BackendAdapter, env?: Environment, maxOpen = 256) {
    this.#config = config;
    this.#env = env;
    this.#maxOpen = maxOpen;
    this.#adapters.set(backend.name(), backend);
    this.#sessions = new Sessions(config.pool);
  }

  get processes(): number {
    return this.#sessions.processes;
  }

  adapter(name: BackendName): BackendAdapter {
    const known = this.#adapters.get(name);
    if (known !== undefined) return known;
    const created = createBackend(name, this.configOf(name));
    this.#adapters.set(name, created);
    return created;
  }

  /** BACKEND_CLI_PATH and BACKEND_MODEL belong to AGENT_BACKEND's CLI only. */
  configOf(name: BackendName): BackendAdapterConfig {
    const config = backendConfig(this.#config, this.#env);
    if (name === this.#config.agentBackend) return config;
    if (this.#config.demo) {
      throw new TurnoutError('unsupported', `This is a demo: only its own agent answers, not ${name}.`, {
        hint: 'Start the gateway without --demo.',
      });
    }
    return { ...config, cliPath: backends[name].command, model: undefined };
  }

  run(request: AgentRequest, signal: AbortSignal): AgentTurn {
    let session: BackendSession | undefined;
    const enter = (): Promise<BackendSession> => this.#enter(request, signal);
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
        yield* session.send(request.prompt, { signal, stdoutFile: request.stdoutFile });
      } finally {
        if (request.live) leave();
        else await session.close();
      }
    }
    return {
      events: events(),
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
    const { sessionId, ...kept } = options;
    const key = JSON.stringify(kept);
    const known = this.#open.get(channel);
    this.#open.delete(channel);
    if (known !== undefined && known.key === key && known.session.sessionId === sessionId) {
      this.#open.set(channel, { ...known, busy: true });
      return known.session;
    }
    await known?.session.close();
    // A one-shot session has nothing to keep. And one that is opened with an id never begins anew by itself when the CLI does
    // not know the id: the runtime hears of it, and tells the conversation again.
    if (!options.live) return this.#openSession(options, signal);
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

  #openSession(options: TurnOptions & { backend: BackendName; live: boolean }, signal: AbortSignal) {
    const { backend } = options;
    const clocks = { ...this.#config.clocks, turnMs: this.#config.queryTimeoutMs };
    const made = { config: this.configOf(backend), adapter: this.adapter(backend), clocks };
    return this.#sessions.open({ ...options, ...made }, { signal });
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
