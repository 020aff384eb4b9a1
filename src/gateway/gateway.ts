import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sweepScratchFiles } from '../backends/launch/scratch-files.js';
import { createBackend } from '../backends/registry.js';
import type { BackendAdapter } from '../backends/types.js';
import type { Log } from '../config/log.js';
import type { PermissionDecision } from '../core/chat-event.js';
import { endOrphans } from '../process/end-orphans.js';
import { ownName } from '../process/mark-child.js';
import { type DirectoryLock, lockDirectory } from '../store/instance-lock.js';
import { hasEnded, type StoredEvent, type StoredPermission } from '../store/rows.js';
import { openSqliteStore } from '../store/sqlite/sqlite-store.js';
import type { Lease, Store } from '../store/store.js';
import { AgentRuntime } from './agent-runtime.js';
import { Agents } from './agents/agents.js';
import { SessionManager } from './agents/session-manager.js';
import { applyRetention } from './archive/apply-retention.js';
import { ArchiveWriter } from './archive/archive-writer.js';
import { type HttpAddress, HttpChannel } from './channels/http/http-channel.js';
import { loadHttpToken } from './channels/http/http-token.js';
import { Outbox } from './channels/outbox.js';
import type { ChannelKind, GatewayFace, Health, IncomingMessage, Receipt } from './channels/types.js';
import { checkStart } from './check-start.js';
import { ChatCommands } from './commands/chat-commands.js';
import { backendConfig, type Environment, type GatewayConfig } from './config.js';
import { HookManager } from './hooks/hook-manager.js';
import type { Watcher } from './journal-points.js';
import { GatewayMetrics } from './metrics/gateway-metrics.js';
import { MarkdownConfigLoader } from './persona/markdown-config-loader.js';
import { SystemPromptAssembler } from './persona/system-prompt-assembler.js';
import { EventQueue } from './queue/event-queue.js';
import { EventWaiters } from './queue/event-waiters.js';
import { Inbox } from './queue/inbox.js';
import { Scheduler } from './schedule/scheduler.js';
import { PermissionRequests } from './turns/permission-requests.js';
import { TurnOutputs } from './turns/turn-outputs.js';
import { TurnWorker } from './turns/turn-worker.js';
import type { Settlement } from './turns/verdicts.js';

export interface GatewayOptions {
  readonly config: GatewayConfig;
  /** What the agents inherit, less our own secrets. */
  readonly env: Environment;
  readonly log: Log;
  readonly watch?: Watcher | undefined;
  /** In place of the configured one. */
  readonly backend?: BackendAdapter | undefined;
}

export const databaseFile = 'turnout.db';

/** Messages in, agent turns, answers out. Puts the parts together, starts and stops them in order. */
export class Gateway implements GatewayFace {
  /** Where the HTTP token is kept, when it does not come from the settings. */
  readonly tokenFile: string | undefined;
  readonly #options: GatewayOptions;
  readonly #store: Store;
  readonly #lock: DirectoryLock;
  readonly #queue: EventQueue;
  readonly #inbox: Inbox;
  readonly #permissions: PermissionRequests;
  readonly #outbox: Outbox;
  readonly #agents: Agents;
  readonly #hooks: HookManager;
  readonly #archive: ArchiveWriter;
  readonly #scheduler: Scheduler;
  readonly #outputs: TurnOutputs;
  readonly #metrics = new GatewayMetrics();
  readonly #http: HttpChannel;
  readonly #kinds: readonly ChannelKind[];
  readonly #waiters: EventWaiters;
  #retention: NodeJS.Timeout | undefined;
  #state: 'starting' | 'running' | 'draining' | 'stopped' = 'starting';
  #endGrace: (() => void) | undefined;
  #stopping: Promise<void> | undefined;

  /** Rejects with all that keeps it from starting. */
  static async start(options: GatewayOptions): Promise<Gateway> {
    const { config, env, log } = options;
    const backend = options.backend ?? createBackend(config.agentBackend, backendConfig(config, env));
    if (options.backend === undefined) await checkStart(config, backend, env);
    const lock = await lockDirectory(config.home);
    try {
      const { token, file, warnings } = await loadHttpToken(config.home, config.httpToken);
      for (const warning of [...config.warnings, ...warnings]) log.warn(warning);
      if (env['CONFIG_DIR'] && !existsSync(config.configDir)) {
        log.warn(`CONFIG_DIR=${config.configDir}: there is no such directory, so nothing is read from it`);
      }
      const hooks = await HookManager.load(config.configDir, log, env);
      const store = await openSqliteStore(join(config.home, databaseFile));
      const gateway = new Gateway(options, { backend, hooks, store, lock, token, tokenFile: file });
      await gateway.#start();
      return gateway;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  private constructor(
    options: GatewayOptions,
    made: {
      readonly backend: BackendAdapter;
      readonly hooks: HookManager;
      readonly store: Store;
      readonly lock: DirectoryLock;
      readonly token: string;
      readonly tokenFile: string | undefined;
    },
  ) {
    this.tokenFile = made.tokenFile;
    const { config, log, env } = options;
    const { store, hooks, backend } = made;
    const now = Date.now;
    const watch: Watcher = options.watch ?? (() => undefined);
    this.#options = options;
    this.#store = store;
    this.#waiters = new EventWaiters(store);
    this.#lock = made.lock;
    this.#hooks = hooks;
    this.#agents = new Agents(config, backend, env);
    const sessions = new SessionManager(store);
    const runtime = new AgentRuntime(
      config,
      backend,
      sessions,
      new MarkdownConfigLoader(config.configDir),
      new SystemPromptAssembler(),
      hooks,
      this.#agents,
    );
    this.#outputs = new TurnOutputs(join(config.home, 'turns'));
    this.#permissions = new PermissionRequests({ store, log, now, watch, post: this.#post });
    const commands = new ChatCommands({
      store,
      runtime,
      sessions,
      now,
      turns: {
        runningSince: (channel) => this.#queue.runningSince(channel),
        retryAt: (channel) => this.#queue.retryAt(channel),
        stop: (channel, by) => this.#queue.stop(channel, { type: 'stopped', by }),
      },
    });
    const worker = new TurnWorker({
      config,
      store,
      runtime,
      commands,
      hooks,
      permissions: this.#permissions,
      outputs: this.#outputs,
      log,
      now,
      watch,
    });
    this.#queue = new EventQueue({
      store,
      handler: worker,
      // The process's own name: leases of a former one are told from ours.
      worker: ownName(),
      maxConcurrentTurns: config.maxConcurrentTurns,
      maxQueueDepth: config.maxQueueDepth,
      leaseMs: config.leaseMs,
      log,
      now,
      watch,
      onSettled: this.#onTurnSettled,
      onCancelled: (channel) => this.#channelChanged(channel),
    });
    this.#inbox = new Inbox({ store, queue: this.#queue, worker, runtime, commands, hooks, log, now });
    const { httpHost: host, httpPort: port } = config;
    this.#http = new HttpChannel({ host, port, token: made.token, log, metrics: this.#metrics.registry });
    this.#kinds = [this.#http];
    this.#outbox = new Outbox({
      store,
      kindOf: (delivery) => this.#kinds.find((kind) => kind.name === delivery.source),
      log,
      now,
      watch,
    });
    this.#archive = new ArchiveWriter({ store, directory: join(config.home, 'archive'), log });
    this.#scheduler = new Scheduler({
      configDir: config.configDir,
      outputChannel: config.outputChannelId,
      store,
      log,
      submit: async (event) => {
        this.#metrics.received(event.source);
        await this.#queue.accept(event);
      },
    });
    this.#metrics.addGauges(store, this.#queue, this.#agents);
  }

  get address(): HttpAddress {
    return this.#http.address;
  }

  async #start(): Promise<void> {
    const { log, config } = this.#options;
    // What a crashed gateway left running must not go on in a session that is about to be resumed.
    const orphans = await endOrphans().catch((error: unknown) => {
      log.warn('orphans could not be looked for', { error });
      return [];
    });
    for (const orphan of orphans) log.warn('ended a process of a gateway that is gone', { pid: orphan.pid });
    await sweepScratchFiles({ ...this.#options.env, TURNOUT_HOME: config.home });
    try {
      await this.#outputs.sweep((await this.#store.running()).map(({ id }) => id));
      for (const kind of this.#kinds) await kind.start(this);
      await this.#queue.start();
    } catch (error) {
      await this.#close();
      throw error;
    }
    this.#archive.start();
    await this.#scheduler.start();
    this.#outbox.wake();
    this.#retention = setInterval(() => void this.#applyRetention(), 6 * 3_600_000);
    void this.#applyRetention();
    this.#state = 'running';
    const { agentBackend: backend, backendLive: live, home } = config;
    log.info('gateway started', { backend, live, home, ...this.address });
    await this.#hooks.fire('startup', { backend });
  }

  /** Running turns get the grace period; a second call ends them at once. Everything else stays on disk. */
  async stop(reason: string): Promise<void> {
    if (this.#stopping !== undefined) this.#endGrace?.();
    this.#stopping ??= this.#stop(reason);
    await this.#stopping;
  }

  async #stop(reason: string): Promise<void> {
    const { log, config } = this.#options;
    this.#state = 'draining';
    log.info('gateway is stopping', { reason, running: this.#queue.size });
    clearInterval(this.#retention);
    await this.#scheduler.stop();
    const graceEnded = new Promise<void>((resolve) => {
      this.#endGrace = resolve;
    });
    const drained = this.#queue.drain(config.shutdownGraceMs);
    await Promise.race([drained, graceEnded.then(() => this.#queue.drain(0))]);
    await drained;
    await this.#hooks.fire('shutdown', { reason });
    await this.#close();
    log.info('gateway stopped', { reason });
  }

  async #close(): Promise<void> {
    this.#state = 'stopped';
    for (const kind of this.#kinds) await kind.stop();
    this.#waiters.close();
    await this.#outbox.stop();
    await this.#archive.stop();
    await this.#hooks.close();
    await this.#agents.close();
    await this.#store.close();
    await this.#lock.release();
  }

  async receive(message: IncomingMessage): Promise<Receipt> {
    this.#metrics.received(message.source);
    const receipt = await this.#inbox.receive(message);
    if (hasEnded(receipt.event) && !receipt.repeated) this.#channelChanged(message.channel);
    return receipt;
  }

  async interrupt(channel: string): Promise<boolean> {
    return this.#queue.stop(channel, { type: 'stopped', by: 'an interrupt' });
  }

  event(id: string): Promise<StoredEvent | undefined> {
    return this.#store.event(id);
  }

  messages(...given: Parameters<GatewayFace['messages']>): ReturnType<GatewayFace['messages']> {
    return this.#store.messages(...given);
  }

  waitForEnd(eventId: string, signal: AbortSignal): Promise<StoredEvent | undefined> {
    return this.#waiters.wait(eventId, signal);
  }

  pendingPermissions(): Promise<readonly StoredPermission[]> {
    return this.#store.pendingPermissions();
  }

  permission(id: string): Promise<StoredPermission | undefined> {
    return this.#store.permission(id);
  }

  decide(id: string, decision: PermissionDecision, message?: string): Promise<StoredPermission | undefined> {
    return this.#permissions.decide(id, decision, message);
  }

  async health(): Promise<Health> {
    const problems = [
      ...(this.#state === 'running' ? [] : [`The gateway is ${this.#state}.`]),
      ...(this.#queue.fault === undefined ? [] : [this.#queue.fault]),
    ];
    return { ready: problems.length === 0, problems };
  }

  metrics(): Promise<string> {
    return this.#metrics.registry.render();
  }

  #post = async (channel: string, eventId: string, text: string): Promise<void> => {
    await this.#store.post({ channel, eventId, role: 'system', text }, Date.now());
    this.#channelChanged(channel);
  };

  #onTurnSettled = (lease: Lease, settlement: Settlement, since: number | undefined): void => {
    const ms = since === undefined ? undefined : Date.now() - since;
    this.#metrics.settled(settlement, ms);
    const { channel, turnId: turn } = lease;
    const state = settlement.type === 'finish' ? settlement.outcome.state : 'postponed';
    this.#options.log.info('turn ended', { channel, turn, state, ms });
    this.#channelChanged(channel);
  };

  /** There is something new in a channel. */
  #channelChanged(channel: string): void {
    this.#outbox.wake();
    this.#archive.channelChanged(channel, Date.now());
    this.#waiters.channelChanged(channel);
  }

  async #applyRetention(): Promise<void> {
    const { config, log } = this.#options;
    if (config.retentionDays === 0) return;
    const directory = join(config.home, 'archive');
    try {
      await applyRetention({ store: this.#store, directory, days: config.retentionDays, now: Date.now() });
    } catch (error) {
      log.error('old conversations could not be removed', { error });
    }
  }
}
