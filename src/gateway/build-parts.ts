import { join } from 'node:path';
import type { BackendAdapter } from '../backends/types.js';
import type { Log } from '../config/log.js';
import { ownName } from '../process/mark-child.js';
import { WorkTreeFiles } from '../process/work-tree-files.js';
import type { Ballast } from '../store/ballast.js';
import type { Store } from '../store/store.js';
import { AgentRuntime } from './agent-runtime.js';
import { AgentTraces } from './agents/agent-traces.js';
import { Agents } from './agents/agents.js';
import { SessionManager } from './agents/session-manager.js';
import { CliSessions } from './agents/vendor-sessions.js';
import { ArchiveWriter } from './archive/archive-writer.js';
import { Snapshots } from './changes/snapshots.js';
import { tidyShadows } from './changes/tidy-shadows.js';
import { TreeChanges } from './changes/work-tree-changes.js';
import type { OpenClient } from './channels/discord/client/open-client.js';
import { DiscordChannel } from './channels/discord/discord-channel.js';
import { parentOf } from './channels/discord/parent-of.js';
import { HttpChannel } from './channels/http/http-channel.js';
import type { Reports } from './channels/lookups.js';
import { Outbox } from './channels/outbox.js';
import type { ChannelKind, ChannelStatus } from './channels/types.js';
import { ChatCommands } from './commands/chat-commands.js';
import { chatCommands } from './commands/command-list.js';
import { ImmediateCommands } from './commands/immediate-commands.js';
import { parseCommand } from './commands/parse-command.js';
import type { Environment, GatewayConfig } from './config.js';
import { channelStatus } from './feed/channel-status.js';
import { Feed } from './feed/feed.js';
import { GatewayMetrics } from './gateway-metrics.js';
import { sharedLocks } from './home-lock.js';
import type { HookManager } from './hooks/hook-manager.js';
import type { Watcher } from './journal-points.js';
import { MarkdownConfigLoader } from './persona/markdown-config-loader.js';
import { SystemPromptAssembler } from './persona/system-prompt-assembler.js';
import { EventQueue } from './queue/event-queue.js';
import { EventWaiters } from './queue/event-waiters.js';
import { Inbox } from './queue/inbox.js';
import { createReports } from './reports/store-reports.js';
import { Scheduler } from './schedule/scheduler.js';
import { PermissionRequests } from './turns/permission-requests.js';
import { Shortage } from './turns/shortage.js';
import { TurnOutputs } from './turns/turn-outputs.js';
import { TurnWorker } from './turns/turn-worker.js';
import { longestWait } from './turns/verdicts.js';

export interface BuildOptions {
  readonly config: GatewayConfig;
  readonly env: Environment;
  readonly log: Log;
  readonly watch: Watcher;
  readonly backend: BackendAdapter;
  readonly hooks: HookManager;
  readonly store: Store;
  readonly ballast: Pick<Ballast, 'released' | 'restore'>;
  readonly httpToken: string;
  readonly pageDirectory?: string | undefined;
  readonly snapshotWaitMs?: number | undefined;
  /** Called when somebody begins to follow a channel. */
  readonly onFollowed?: ((channel: string) => void) | undefined;
  /** In place of the client that is loaded when there is a token. */
  readonly loadDiscord?: (() => Promise<OpenClient>) | undefined;
}

export interface GatewayParts {
  readonly queue: EventQueue;
  readonly shortage: Shortage;
  readonly inbox: Inbox;
  readonly permissions: PermissionRequests;
  readonly outbox: Outbox;
  readonly agents: Agents;
  readonly archive: ArchiveWriter;
  readonly scheduler: Scheduler;
  readonly outputs: TurnOutputs;
  readonly snapshots: Snapshots;
  readonly changes: TreeChanges;
  readonly workTrees: WorkTreeFiles;
  /** Removes what no turn needs of the snapshots. Never rejects. */
  tidySnapshots(): Promise<void>;
  readonly metrics: GatewayMetrics;
  readonly waiters: EventWaiters;
  readonly feed: Feed;
  readonly vendorSessions: CliSessions;
  status(channel: string): Promise<ChannelStatus>;
  readonly http: HttpChannel;
  readonly discord: DiscordChannel | undefined;
  readonly kinds: readonly ChannelKind[];
  readonly reports: Reports;
  /** Brings out, archives and announces something new in a channel. */
  channelChanged(channel: string): void;
}

/** Makes the gateway's parts and connects them. None of them works before it is started. */
export function buildParts(options: BuildOptions): GatewayParts {
  const { config, env, log, watch, backend, hooks, store } = options;
  const now = Date.now;
  const metrics = new GatewayMetrics();
  const waiters = new EventWaiters(store);
  const archive = new ArchiveWriter({ store, directory: join(config.home, 'archive'), log });
  const workTrees = new WorkTreeFiles({ user: config.agentUser, home: config.home });
  const { httpHost: host, httpPort: port } = config;
  const limits = { maxConnections: config.httpMaxConnections };
  const http = new HttpChannel({
    ...{ host, port, log, limits },
    token: options.httpToken,
    allowedHosts: config.httpAllowedHosts,
    maxRequestsPerMinute: config.httpMaxRequestsPerMinute,
    pageDirectory: options.pageDirectory,
    metrics: metrics.registry,
  });
  const discord =
    config.discord.token === undefined
      ? undefined
      : new DiscordChannel({
          ...config.discord,
          token: config.discord.token,
          ...{ store, log, now, home: config.home, configDir: config.configDir },
          agentUser: config.agentUser,
          workTrees,
          locks: sharedLocks(env, 'discord'),
          permissionMs: config.clocks.permissionMs,
          commands: chatCommands,
          isCommand: (text) => parseCommand(text) !== undefined,
          loadClient: options.loadDiscord,
        });
  const kinds: readonly ChannelKind[] = discord === undefined ? [http] : [discord, http];
  const outbox = new Outbox({ store, kinds, log, now, watch });
  const status = (channel: string) =>
    channelStatus(channel, { store, runtime, runningTool: (name) => worker.runningTool(name) });
  const feed = new Feed({ store, status, onFollowed: options.onFollowed });
  const channelChanged = (channel: string, at = now()): void => {
    feed.changed(channel);
    outbox.wake();
    archive.channelChanged(channel, at);
    waiters.channelChanged(channel);
  };
  const post = async (channel: string, eventId: string, text: string): Promise<void> => {
    await store.post({ channel, eventId, role: 'system', text }, now());
    channelChanged(channel);
  };
  const permissions = new PermissionRequests({
    maxPerTurn: config.maxPermissionRequests,
    store,
    log,
    now,
    watch,
    post,
  });

  const traces = config.logLevel === 'debug' ? new AgentTraces(log, env, [options.httpToken]) : undefined;
  const agents = new Agents(config, backend, env, { traces, warn: (text) => log.warn(text) });
  const sessions = new SessionManager(store);
  const runtime = new AgentRuntime(
    config,
    backend,
    sessions,
    new MarkdownConfigLoader(config.configDir, { parentOf: (channel) => parentOf(store, channel) }),
    new SystemPromptAssembler(),
    hooks,
    agents,
  );
  const outputs = new TurnOutputs(
    join(config.home, 'turns'),
    config.maxOutputMb * 1024 ** 2,
    (directory, error) =>
      log.warn('the outputs of agents can not be kept: a crash may hide the last tools of a turn', {
        directory,
        error,
      }),
  );
  const vendorSessions = new CliSessions({ config, store, runtime, now, channelChanged });
  const snapshots = new Snapshots({
    home: config.home,
    enabled: config.workTreeChanges,
    path: env['PATH'],
    homes: config.agentUser === undefined ? [] : [config.agentUser.home],
    workTrees,
    log,
    now,
    waitMs: options.snapshotWaitMs,
  });
  const changes = new TreeChanges({ store, snapshots });
  const tidySnapshots = () =>
    tidyShadows({ home: config.home, store, snapshots }).catch((error: unknown) => {
      if (!snapshots.isClosed) log.warn('the snapshots of work trees could not be tidied', { error });
    });
  const commands = new ChatCommands({ store, runtime });
  const shortage = new Shortage();
  const worker = new TurnWorker({
    config,
    store,
    runtime,
    commands,
    hooks,
    permissions,
    post,
    outputs,
    feed,
    snapshots,
    ballast: options.ballast,
    placeOf: (channel) => kinds.find((kind) => kind.owns(channel))?.instructions?.(channel),
    refuse: discord === undefined ? undefined : (event) => discord.refuse(event),
    log,
    now,
    watch,
    shortage,
  });
  const queue = new EventQueue({
    store,
    handler: worker,
    // The process's own name tells its leases from those of a former process.
    worker: ownName(),
    maxConcurrentTurns: config.maxConcurrentTurns,
    maxQueueDepth: config.maxQueueDepth,
    leaseMs: config.leaseMs,
    longestWaitMs: longestWait(config.retryDelayMs),
    log,
    now,
    watch,
    onSettled: (lease, settlement, since) => {
      const ms = since === undefined ? undefined : now() - since;
      metrics.settled(settlement, ms);
      const { channel, turnId: turn } = lease;
      feed.turnEnded(channel, turn);
      const finished = settlement.type === 'finish';
      const state = finished ? settlement.outcome.state : 'postponed';
      log.info('turn ended', { channel, turn, state, ms });
      // A result that could not be written for long belongs to the day of its end.
      channelChanged(channel, finished ? settlement.outcome.at : settlement.retry.at);
    },
    onCancelled: (channel) => channelChanged(channel),
  });
  const immediate = new ImmediateCommands({ store, runtime, sessions, turns: queue, now });
  const inbox = new Inbox({
    ...{ store, queue, worker, runtime, commands: immediate, hooks, permissions, log, now },
  });
  const scheduler = new Scheduler({
    configDir: config.configDir,
    outputChannel: config.outputChannelId,
    store,
    log,
    submit: async (event) => {
      metrics.received(event.source);
      await queue.accept(event);
      feed.changed(event.channel);
    },
  });
  const backendOf = async (channel: string) =>
    (await runtime.settings(channel, await store.channel(channel))).backend;
  const reports = createReports({ store, agents, config, backendOf, now, workTrees });
  metrics.addGauges(store, queue, agents);
  return {
    ...{ queue, inbox, permissions, outbox, agents, archive, scheduler, outputs, metrics, waiters },
    ...{ http, discord, kinds, channelChanged, shortage, feed, status, reports, vendorSessions },
    ...{ snapshots, changes, tidySnapshots, workTrees },
  };
}
