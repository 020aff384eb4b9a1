import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sweepScratchFiles } from '../backends/launch/scratch-files.js';
import { createBackend } from '../backends/registry.js';
import type { BackendAdapter } from '../backends/types.js';
import type { Log } from '../config/log.js';
import type { PermissionDecision } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';
import { endOrphans } from '../process/end-orphans.js';
import { Ballast } from '../store/ballast.js';
import type { DirectoryLock } from '../store/instance-lock.js';
import { hasEnded, type StoredEvent, type StoredPermission } from '../store/rows.js';
import { openSqliteStore } from '../store/sqlite/sqlite-store.js';
import type { Store } from '../store/store.js';
import { removeAddress, writeAddress } from './address-file.js';
import { applyRetention } from './archive/apply-retention.js';
import { SteadyTime } from './archive/steady-time.js';
import { buildParts, type GatewayParts } from './build-parts.js';
import type { OpenClient } from './channels/discord/client/open-client.js';
import { attachmentsDirectory } from './channels/discord/receive/attachments.js';
import { removeOldAttachments } from './channels/discord/receive/remove-old-attachments.js';
import type { HttpAddress } from './channels/http/http-channel.js';
import { loadHttpToken } from './channels/http/http-token.js';
import type { ChainRuns } from './channels/lookups.js';
import type {
  ChannelStatus,
  GatewayFace,
  GatewayIdentity,
  Health,
  IncomingMessage,
  InterruptOptions,
  Receipt,
} from './channels/types.js';
import { checkStart } from './check-start.js';
import { backendConfig, configWith, type Environment, type GatewayConfig } from './config.js';
import { lockHome } from './home-lock.js';
import { HookManager } from './hooks/hook-manager.js';
import type { Watcher } from './journal-points.js';
import { pageUrl } from './page-url.js';
import { StoreHealth } from './store-health.js';

export interface GatewayOptions {
  readonly config: GatewayConfig;
  /** The agents inherit it, without the gateway's secrets. */
  readonly env: Environment;
  readonly log: Log;
  /** Turnout's version, for whoever asks. */
  readonly version?: string | undefined;
  readonly watch?: Watcher | undefined;
  /** A backend in place of the configured one. */
  readonly backend?: BackendAdapter | undefined;
  /** The runs of chains, which the gateway only shows. */
  readonly chainRuns?: ChainRuns | undefined;
  /** The built page, which is served at `/`; without it there is nothing. */
  readonly pageDirectory?: string | undefined;
  /** The time that a change waits while another program holds the database: 5 seconds unless given. */
  readonly lockTimeoutMs?: number | undefined;
  /** The time that a turn waits for each of its two snapshots of the work tree: 2 seconds unless given. */
  readonly snapshotWaitMs?: number | undefined;
  /** Called when somebody begins to follow a channel. */
  readonly onFollowed?: ((channel: string) => void) | undefined;
  /** In place of the client that is loaded when there is a token. */
  readonly loadDiscord?: (() => Promise<OpenClient>) | undefined;
}

const noChainRuns: ChainRuns = { list: async () => [], read: async () => undefined };

export const databaseFile = 'turnout.db';

const retentionIntervalMs = 6 * 3_600_000;

/** A turn that runs. */
export interface TurnInChannel {
  readonly channel: string;
  /** True if it waits for a permission. */
  readonly asks: boolean;
}

/** Takes messages, runs agent turns, gives answers: it starts and stops the parts in order and serves the channels. */
export class Gateway implements GatewayFace {
  /** The file that holds the HTTP token; undefined if it comes from the settings. */
  readonly tokenFile: string | undefined;
  readonly #options: GatewayOptions;
  readonly #store: Store;
  readonly #ballast: Ballast;
  readonly #storeHealth: StoreHealth;
  readonly #lock: DirectoryLock;
  readonly #hooks: HookManager;
  readonly #parts: GatewayParts;
  readonly #httpToken: string;
  readonly #startedAt = Date.now();
  readonly #steadyTime = new SteadyTime();
  #retention: NodeJS.Timeout | undefined;
  #state: 'starting' | 'running' | 'draining' | 'stopped' = 'starting';
  #endGrace: (() => void) | undefined;
  #stopping: Promise<void> | undefined;

  /** Rejects with everything that keeps it from starting. */
  static async start(options: GatewayOptions): Promise<Gateway> {
    const { log } = options;
    const config =
      options.backend === undefined ? options.config : configWith(options.config, options.backend);
    // The agents carry the mark of this home, also where theirs is another one.
    const env: Environment = { ...options.env, TURNOUT_HOME: config.home };
    const backend = options.backend ?? createBackend(config.agentBackend, backendConfig(config, env));
    // They may be the reason why it can't start.
    const notice = backend.startNotice?.(config.permissionMode);
    for (const warning of [...config.warnings, notice ?? []].flat()) log.warn(warning);
    await checkStart(config, backend, env);
    const lock = await lockHome(config.home, env, log);
    try {
      // One that was killed has left its own.
      await removeAddress(config.home);
      const { token, file, warnings } = await loadHttpToken(config.home, config.httpToken);
      for (const warning of warnings) log.warn(warning);
      if (config.configDir !== join(config.home, 'config') && !existsSync(config.configDir)) {
        log.warn(`CONFIG_DIR=${config.configDir}: there is no such directory, so nothing is read from it`);
      }
      const hooks = await HookManager.load(config.configDir, log, env);
      await endFormerAgents(config.home, log);
      const ballast = await Ballast.open({ directory: config.home });
      const { lockTimeoutMs, snapshotWaitMs, onFollowed, pageDirectory, loadDiscord } = options;
      const opened = await openSqliteStore(join(config.home, databaseFile), { ballast, lock, lockTimeoutMs });
      const storeHealth = new StoreHealth({ store: opened, log });
      const { store } = storeHealth;
      const watch: Watcher = options.watch ?? (() => undefined);
      const parts = buildParts({
        ...{
          config,
          env,
          log,
          watch,
          backend,
          hooks,
          store,
          ballast,
          snapshotWaitMs,
          onFollowed,
          pageDirectory,
          loadDiscord,
        },
        httpToken: token,
      });
      const gateway = new Gateway(
        { ...options, config },
        {
          store,
          storeHealth,
          ballast,
          lock,
          hooks,
          parts,
          tokenFile: file,
          httpToken: token,
        },
      );
      await gateway.#start();
      return gateway;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  private constructor(
    options: GatewayOptions,
    opened: {
      readonly store: Store;
      readonly ballast: Ballast;
      readonly storeHealth: StoreHealth;
      readonly lock: DirectoryLock;
      readonly hooks: HookManager;
      readonly parts: GatewayParts;
      readonly tokenFile: string | undefined;
      readonly httpToken: string;
    },
  ) {
    this.#options = options;
    this.#store = opened.store;
    this.#ballast = opened.ballast;
    this.#storeHealth = opened.storeHealth;
    this.#lock = opened.lock;
    this.#hooks = opened.hooks;
    this.#parts = opened.parts;
    this.tokenFile = opened.tokenFile;
    this.#httpToken = opened.httpToken;
  }

  get address(): HttpAddress {
    return this.#parts.http.address;
  }

  /** The address of the page with the token in its fragment: for the gateway's owner only, not for logs. */
  get pageUrl(): string {
    return pageUrl(this.address, this.#httpToken);
  }

  async #start(): Promise<void> {
    const { log, config } = this.#options;
    await sweepScratchFiles({ ...this.#options.env, TURNOUT_HOME: config.home });
    try {
      await this.#parts.outputs.sweep((await this.#store.running()).map(({ id }) => id));
      for (const kind of this.#parts.kinds) await kind.start(this);
      await this.#parts.queue.start();
    } catch (error) {
      await this.#close();
      throw error;
    }
    this.#storeHealth.start();
    this.#parts.archive.start();
    await this.#parts.scheduler.start();
    this.#parts.outbox.wake();
    this.#retention = setInterval(() => void this.#tidy(), retentionIntervalMs);
    void this.#tidy();
    this.#parts.snapshots.prepare(config.workingDir);
    void this.#ballast.restore();
    this.#state = 'running';
    const { agentBackend: backend, backendLive: live, home } = config;
    log.info('gateway started', { backend, live, home, ...this.address });
    await writeAddress(home, { ...this.address, ownToken: this.tokenFile !== undefined });
    await this.#hooks.fire('startup', { backend });
  }

  get turnsRunning(): readonly TurnInChannel[] {
    const { queue, permissions } = this.#parts;
    return queue.leases.map((lease) => ({ channel: lease.channel, asks: permissions.isAskedBy(lease) }));
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
    const graceEnded = new Promise<void>((resolve) => {
      this.#endGrace = resolve;
    });
    log.info('gateway is stopping', { reason, running: this.turnsRunning.length });
    clearInterval(this.#retention);
    await this.#parts.scheduler.stop();
    const drained = this.#parts.queue.drain(config.shutdownGraceMs);
    await Promise.race([drained, graceEnded.then(() => this.#parts.queue.drain(0))]);
    await drained;
    await this.#hooks.fire('shutdown', { reason });
    await this.#close();
    log.info('gateway stopped', { reason });
  }

  async #close(): Promise<void> {
    this.#state = 'stopped';
    // The last answers are brought while the channels are still there.
    await this.#parts.outbox.stop();
    for (const kind of this.#parts.kinds) await kind.stop();
    this.#parts.waiters.close();
    this.#parts.feed.close();
    await this.#parts.archive.stop();
    await this.#hooks.close();
    await this.#parts.agents.close();
    await this.#parts.snapshots.close();
    this.#parts.workTrees.close();
    this.#storeHealth.stop();
    await this.#store.close().catch((error: unknown) => {
      this.#options.log.error('the database was removed, and could not be written anew', { error });
    });
    await this.#ballast.close();
    await removeAddress(this.#options.config.home);
    await this.#lock.release();
  }

  async receive(message: IncomingMessage): Promise<Receipt> {
    await this.#checkChannel(message);
    this.#parts.metrics.received(message.source);
    const receipt = await this.#parts.inbox.receive(message);
    this.#parts.feed.changed(message.channel);
    if (hasEnded(receipt.event) && !receipt.repeated) this.#parts.channelChanged(message.channel);
    return receipt;
  }

  /** A kind knows the channels that it takes messages from itself. */
  async #checkChannel({ channel, source }: IncomingMessage): Promise<void> {
    const kind = this.#parts.kinds.find((one) => one.owns(channel));
    if (kind?.knows === undefined || kind.name === source || (await kind.knows(channel))) return;
    throw new TurnoutError('bad_request', `There is no channel ${JSON.stringify(channel.slice(0, 160))}.`, {
      hint: `It would be one of ${kind.name}: check its id, and that the bot can see it.`,
    });
  }

  async interrupt(channel: string, { turnId, by = 'an interrupt' }: InterruptOptions = {}): Promise<boolean> {
    return this.#parts.queue.stop(channel, { type: 'stopped', by }, { turnId });
  }

  event(id: string): Promise<StoredEvent | undefined> {
    return this.#store.event(id);
  }

  messages(...given: Parameters<GatewayFace['messages']>): ReturnType<GatewayFace['messages']> {
    return this.#store.messages(...given);
  }

  waitForEnd(eventId: string, signal: AbortSignal): Promise<StoredEvent | undefined> {
    return this.#parts.waiters.wait(eventId, signal);
  }

  pendingPermissions(): Promise<readonly StoredPermission[]> {
    return this.#store.pendingOutlines();
  }

  permission(id: string): Promise<StoredPermission | undefined> {
    return this.#store.permission(id);
  }

  async decide(
    id: string,
    decision: PermissionDecision,
    message?: string,
  ): Promise<StoredPermission | undefined> {
    const decided = await this.#parts.permissions.decide(id, decision, message);
    if (decided !== undefined) this.#parts.feed.changed(decided.channel);
    return decided;
  }

  async health(): Promise<Health> {
    const { unwritten } = this.#parts.queue;
    const { problem: shortage } = this.#parts.shortage;
    const problems = [
      ...(this.#state === 'running' ? [] : [`The gateway is ${this.#state}.`]),
      ...(this.#storeHealth.problem === undefined ? [] : [this.#storeHealth.problem]),
      ...(unwritten === 0
        ? []
        : [`${unwritten} ${unwritten === 1 ? 'result waits' : 'results wait'} to be written.`]),
      ...(shortage === undefined ? [] : [shortage]),
      ...(this.#ballast.released ? ['The disk is full, or nearly: only work that has begun goes on.'] : []),
    ];
    // The rest of the gateway works without Discord.
    const { problems: ofDiscord = [] } = this.#parts.discord ?? {};
    return { ready: problems.length === 0, problems: [...problems, ...ofDiscord] };
  }

  get identity(): GatewayIdentity {
    const { config, version = 'unknown' } = this.#options;
    const { agentBackend: backend, backendLive: live, home } = config;
    const discord = this.#parts.discord?.connection;
    return { version, startedAt: this.#startedAt, pid: process.pid, home, backend, live, discord };
  }

  plannedRuns(): ReturnType<GatewayFace['plannedRuns']> {
    return this.#parts.scheduler.planned();
  }

  metrics(): Promise<string> {
    return this.#parts.metrics.registry.render();
  }

  follow(...given: Parameters<GatewayFace['follow']>): ReturnType<GatewayFace['follow']> {
    return this.#parts.feed.follow(...given);
  }

  status(channel: string): Promise<ChannelStatus> {
    return this.#parts.status(channel);
  }

  async changeListing(...given: Parameters<GatewayFace['changeListing']>): Promise<boolean> {
    const isChanged = await this.#store.changeListing(...given);
    if (isChanged) this.#parts.feed.changed(given[0]);
    return isChanged;
  }

  markEnd(...given: Parameters<GatewayFace['markEnd']>): Promise<void> {
    return this.#store.markEnd(...given);
  }

  takeMarked(mark: string): Promise<string | undefined> {
    return this.#store.takeMarked(mark);
  }

  async cancel(eventId: string): Promise<boolean> {
    const event = await this.#store.event(eventId);
    return event?.state === 'queued' && this.#parts.queue.cancel(event);
  }

  eventOf(...given: Parameters<GatewayFace['eventOf']>): Promise<StoredEvent | undefined> {
    return this.#store.eventOf(...given);
  }

  async changeWaiting(eventId: string, text: string, context?: string): Promise<boolean> {
    const event = await this.#store.event(eventId);
    if (event?.state !== 'queued') return false;
    const isChanged = await this.#parts.inbox.change(event, text, context);
    if (isChanged) this.#parts.feed.changed(event.channel);
    return isChanged;
  }

  async runNext(
    eventId: string,
    { by = 'an interrupt' }: Pick<InterruptOptions, 'by'> = {},
  ): Promise<boolean> {
    if (!(await this.#store.moveToFront(eventId))) return false;
    const event = await this.#store.event(eventId);
    if (event === undefined) return false;
    this.#parts.feed.changed(event.channel);
    // It may have begun by now: then there is nothing in front of it.
    await this.#parts.queue.stop(event.channel, { type: 'stopped', by }, { beforeSeq: event.seq });
    return true;
  }

  get reports(): GatewayFace['reports'] {
    return this.#parts.reports;
  }

  get vendorSessions(): GatewayFace['vendorSessions'] {
    return this.#parts.vendorSessions;
  }

  get changes(): GatewayFace['changes'] {
    return this.#parts.changes;
  }

  get chainRuns(): GatewayFace['chainRuns'] {
    return this.#options.chainRuns ?? noChainRuns;
  }

  async #tidy(): Promise<void> {
    await this.#applyRetention();
    await this.#parts.tidySnapshots();
  }

  async #applyRetention(): Promise<void> {
    const { config, log } = this.#options;
    if (config.retentionDays === 0) return;
    const now = this.#steadyTime.look();
    if (now === undefined) return log.warn('the clock was set forward: nothing old is removed for now');
    const directory = join(config.home, 'archive');
    try {
      const days = config.retentionDays;
      const attachments = attachmentsDirectory(config.home, config.agentUser);
      const removed = await applyRetention({
        ...{ store: this.#store, directory, days, now },
        // Also without a token: they may be of a time when there was one.
        removeAttachments: (before) => removeOldAttachments(attachments, before),
      });
      if (Object.values(removed).some((count) => count > 0))
        log.info(`conversations older than ${days} days were removed (RETENTION_DAYS)`, {
          ...removed,
        });
    } catch (error) {
      log.error('old conversations could not be removed', { error });
    }
  }
}

/**
 * A CLI that a crashed gateway left running must not go on in a session that is about to be resumed, nor fill the disk on
 * which the database is about to be opened.
 */
async function endFormerAgents(home: string, log: Log): Promise<void> {
  const orphans = await endOrphans({ home }).catch((error: unknown) => {
    log.warn('orphans could not be looked for', { error });
    return [];
  });
  for (const orphan of orphans) log.warn('ended a process of a gateway that is gone', { pid: orphan.pid });
}
