import { once } from 'node:events';
import type { Log } from '../../config/log.js';
import { type ChatEvent, notice } from '../../core/chat-event.js';
import { isShortage, TurnoutError } from '../../core/errors.js';
import type { Ballast } from '../../store/ballast.js';
import type { StoredEvent, TreeChange } from '../../store/rows.js';
import type { AbandonedTurn, Claim, Lease, Store } from '../../store/store.js';
import type { AgentRuntime, RuntimeReport } from '../agent-runtime.js';
import type { AgentTurn } from '../agents/agents.js';
import { readSeed } from '../agents/seed.js';
import type { TurnSettings } from '../agents/turn-settings.js';
import type { TurnRecorder } from '../archive/turn-recorder.js';
import type { Snapshots, TurnTrees } from '../changes/snapshots.js';
import { agentChange } from '../commands/agent-change.js';
import type { ChatCommands } from '../commands/chat-commands.js';
import { isImmediate, parseCommand } from '../commands/parse-command.js';
import type { GatewayConfig } from '../config.js';
import type { HookManager } from '../hooks/hook-manager.js';
import type { Watcher } from '../journal-points.js';
import { Attempt } from './attempt.js';
import { instructionsOf } from './instructions-of.js';
import type { PermissionRequests } from './permission-requests.js';
import { recoverTurn } from './recover-turn.js';
import type { Shortage } from './shortage.js';
import { ToolGate } from './tool-gate.js';
import { TurnJournal } from './turn-journal.js';
import type { TurnOutputs } from './turn-outputs.js';
import { type Asked, couldNotStart, untoldTools } from './untold-tools.js';
import {
  type AttemptEnd,
  answered,
  answeredByCommand,
  begunUntold,
  failedAfterTools,
  maxRetries,
  type Settlement,
  type TurnStop,
  unanswered,
} from './verdicts.js';

/** The limit of messages that become one turn in `collect` mode. */
const maxCollected = 50;

const shownOfSteering = 200;

/** The end of a tool that was denied. */
const refused = { isError: true, denied: true } as const;

/** Does the work on the queue's events. */
export interface TurnHandler {
  /** Makes one attempt. Ends soon after the signal, whose reason is a `TurnStop`. Never rejects over an agent's failure. */
  run(claim: Claim, signal: AbortSignal): Promise<Settlement>;
  /** Settles a turn whose gateway has died. A `StoreError`, or a shortage, means: try again later. */
  recover(turn: AbandonedTurn, signal: AbortSignal): Promise<Settlement>;
  /** Called when the turn's settlement is on disk: nothing else of it is needed any more. */
  settled?(lease: Lease): Promise<void>;
}

/** Shows the turns to whoever follows their channels. */
export interface TurnFeed {
  turnBegan(channel: string, turn: { readonly turnId: string; readonly record: TurnRecorder }): void;
  turnGrew(channel: string): void;
  turnEnded(channel: string, turnId: string): void;
  changed(channel: string): void;
  statusChanged(channel: string): void;
}

export interface WorkerParts {
  readonly config: GatewayConfig;
  readonly store: Store;
  readonly runtime: AgentRuntime;
  readonly commands: ChatCommands;
  readonly hooks: HookManager;
  readonly permissions: PermissionRequests;
  /** Tells the channel's readers something. */
  post(channel: string, eventId: string, text: string): Promise<void>;
  readonly outputs: TurnOutputs;
  readonly feed: TurnFeed;
  readonly snapshots: Pick<Snapshots, 'begin'>;
  readonly ballast: Pick<Ballast, 'released' | 'restore'>;
  readonly log: Log;
  readonly now: () => number;
  readonly watch: Watcher;
  readonly shortage: Shortage;
}

interface ActiveAttempt {
  readonly lease: Lease;
  readonly event: StoredEvent;
  readonly attempt: Attempt;
  readonly gate: ToolGate;
  /** A hook that blocks a tool, or a limit, ends the turn like a person does. */
  readonly hookStop: AbortController;
  /** The signal is aborted when a hook, a person or the gateway ends the turn. */
  readonly stopping: AbortSignal;
  /** Messages that are being steered into the turn. */
  readonly steering: Set<Promise<unknown>>;
  readonly journal: TurnJournal;
  /** Watches what the turn changes in its work tree. */
  trees?: TurnTrees;
  agent?: AgentTurn;
  asked?: Asked;
}

interface TurnOptions {
  /** The events that are tried again by this one. */
  readonly retried?: readonly string[] | undefined;
  /** The reason why no agent is asked. */
  readonly refused?: string | undefined;
}

/** Works on an event of the queue: runs its command or its turn, and gives the settlement. */
export class TurnWorker implements TurnHandler {
  readonly #parts: WorkerParts;
  readonly #running = new Map<string, ActiveAttempt>();
  /** The problems that were last logged for each channel: the same ones are not logged for every message. */
  readonly #loggedProblems = new Map<string, string>();
  /** The notice that each channel was last told: once is enough. */
  readonly #told = new Map<string, string>();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  async run(claim: Claim, signal: AbortSignal): Promise<Settlement> {
    const { lease, event } = claim;
    const refused = await this.#changeAgent(event);
    if (refused !== undefined) return this.#turn(lease, [event], signal, { refused });
    const command = event.kind === 'command' ? parseCommand(event.text) : undefined;
    if (command === undefined || isImmediate(command))
      return this.#turn(lease, await this.#collect(lease, event), signal);
    const result = await this.#parts.commands.run(command, event.channel);
    if (result.type === 'prompt')
      return this.#turn(lease, [{ ...event, ...result.again }], signal, { retried: result.retried });
    return { type: 'finish', outcome: { ...answeredByCommand(result, this.#parts.now()), events: [] } };
  }

  /**
   * Changes the channel to the agent that the message asks for: the messages in front of it were for others. Returns the
   * reason if that agent can't be used (any more).
   */
  async #changeAgent({ channel, agent }: StoredEvent): Promise<string | undefined> {
    if (agent === undefined) return undefined;
    try {
      const change = await agentChange(this.#parts, channel, agent);
      if (change !== undefined) await this.#parts.store.changeChannel(channel, change);
      return undefined;
    } catch (error) {
      if (error instanceof TurnoutError) return error.explanation;
      throw error;
    }
  }

  /** Puts a message into the channel's running turn. False if that can't be done: the message waits like any other. */
  async steer(event: StoredEvent): Promise<boolean> {
    const running = this.#running.get(event.channel);
    if (running?.agent === undefined) return false;
    const steering = this.#steer(running, running.agent, event);
    running.steering.add(steering);
    return steering.finally(() => running.steering.delete(steering));
  }

  async #steer(running: ActiveAttempt, agent: AgentTurn, event: StoredEvent): Promise<boolean> {
    const { store, log } = this.#parts;
    const joined = await store.join(running.lease, { limit: 1, only: event.id });
    if (joined.length === 0) return false;
    const steered = await agent.steer(event.text).catch((error: unknown) => {
      log.warn('a running turn could not be steered', { channel: event.channel, error });
      return false;
    });
    if (!steered) await store.leave(running.lease, event.id);
    else this.#recordSteering(running, event);
    return steered;
  }

  /** Whoever reads the turn should see where the message came in: what follows may be its answer. */
  #recordSteering({ attempt, lease }: ActiveAttempt, { text }: StoredEvent): void {
    // Nothing follows the end.
    if (!attempt.recorder.hasEnded)
      attempt.recorder.accept(notice('info', `A message came in: ${text.slice(0, shownOfSteering)}`));
    this.#parts.feed.changed(lease.channel);
  }

  recover(abandoned: AbandonedTurn, signal: AbortSignal): Promise<Settlement> {
    return recoverTurn(abandoned, this.#parts, signal);
  }

  async settled(lease: Lease): Promise<void> {
    await this.#parts.outputs.remove(lease.turnId);
  }

  async #collect(lease: Lease, event: StoredEvent): Promise<readonly StoredEvent[]> {
    const { store, runtime, watch } = this.#parts;
    const [next] = await store.waiting(event.channel, 1);
    if (next?.kind !== 'prompt') return [event];
    const settings = await runtime.settings(event.channel, await store.channel(event.channel));
    const mode = next.queueMode ?? settings.queueMode;
    if (mode === 'steer') return [event, ...(await this.#rejoin(lease))];
    if (mode !== 'collect' || event.queueMode === 'queue') return [event];
    const joined = await store.join(lease, { limit: maxCollected - 1 });
    watch('joined');
    return [event, ...joined];
  }

  /** Takes back the messages that had been steered into the failed attempt: they are tried again with its first message. */
  async #rejoin(lease: Lease): Promise<readonly StoredEvent[]> {
    const { store } = this.#parts;
    const joined: StoredEvent[] = [];
    for (;;) {
      const [next] = await store.waiting(lease.channel, 1);
      if (next?.kind !== 'prompt' || next.error === undefined) return joined;
      const [again] = await store.join(lease, { limit: 1, only: next.id });
      if (again === undefined) return joined;
      joined.push(again);
    }
  }

  async #turn(
    lease: Lease,
    events: readonly StoredEvent[],
    signal: AbortSignal,
    { retried = [], refused }: TurnOptions = {},
  ): Promise<Settlement> {
    const { store, runtime, permissions, config, outputs, now } = this.#parts;
    const [event] = events;
    if (event === undefined) throw new Error('A turn without an event.');
    const attempt = new Attempt();
    // A hook that refuses a tool too late ends the turn like a person does.
    const hookStop = new AbortController();
    const gate = new ToolGate(this.#parts.hooks, { channel: lease.channel, eventId: event.id }, (reason) => {
      attempt.blocked ??= reason;
      hookStop.abort();
    });
    const stopping = AbortSignal.any([signal, hookStop.signal]);
    const journal = new TurnJournal(lease, this.#parts, stopping);
    const running: ActiveAttempt = {
      lease,
      event,
      attempt,
      gate,
      hookStop,
      stopping,
      steering: new Set(),
      journal,
    };
    this.#running.set(lease.channel, running);
    this.#parts.feed.turnBegan(lease.channel, { turnId: lease.turnId, record: attempt.recorder });
    try {
      const told = await runtime.run(
        {
          channel: lease.channel,
          source: event.source,
          eventId: event.id,
          author: event.author,
          text: events.map(({ text }) => text).join('\n\n'),
          instructions: instructionsOf(events),
          stdoutFile: await outputs.fileFor(lease.turnId),
          pending: attempt.pending,
          isRetry: event.attempts > 1,
          isLast: event.attempts > maxRetries,
          chosen: await store.channel(lease.channel),
          refused,
          seed: (session) =>
            readSeed(store, lease.channel, session, { beforeSeq: event.seq, without: retried }),
        },
        {
          told: (notice) => this.#tell(event, notice),
          began: async (setup) => {
            // A session that got lost is followed by another attempt: its id is not this one's.
            attempt.sessionId = undefined;
            const at = now();
            await journal.note({ type: 'began', ...setup });
            running.asked = { setup, at, prompt: events.at(-1)?.text ?? '' };
            running.trees ??= this.#parts.snapshots.begin(setup.cwd);
            if (running.trees.isFirst) await treeTaken(running);
          },
          saw: async (chatEvent, agent, settings) => {
            await this.#record(running, chatEvent, agent, settings);
            this.#show(lease.channel, chatEvent);
          },
          resumeFailed: () => this.#afterFailedResume(running),
        },
        stopping,
      );
      // A message that the agent did not take must have left the turn before all in it counts as answered.
      this.#running.delete(lease.channel);
      await Promise.allSettled(running.steering);
      const report = await this.#afterFullDisk(told, journal);
      this.#logProblems(lease.channel, report.settings.problems);
      const stop = signal.aborted ? (signal.reason as TurnStop) : undefined;
      const changes = await changesOf(running, stop);
      const { retryDelayMs } = config;
      const shortageDelayMs = this.#noteShortage(report);
      const delays = { retryDelayMs, shortageDelayMs };
      if (couldNotStart(told.ending, attempt)) delete running.asked;
      const end = { event, attempt, report, stop, at: now(), ...delays };
      return withChanges(await this.#settle(end, running.asked), changes);
    } catch (error) {
      // `LeaseKeeper` decides about an error before any tool; it does not know the tools. The rest of the output, which was
      // not read, may tell of one: it stays until the settlement is on disk.
      if (attempt.begun.length > 0) {
        await journal.giveSpaceBack();
        const changes = await changesOf(running, undefined);
        return withChanges(failedAfterTools(attempt, error, now()), changes);
      }
      const found = await untoldTools(attempt, running.asked, now(), runtime.agents);
      if (found !== undefined) return failedAfterTools(attempt, error, now(), found);
      if (isShortage(error)) this.#parts.shortage.met();
      throw error;
    } finally {
      this.#running.delete(lease.channel);
      permissions.turnEnded(lease);
      // Whoever has taken the turn over settles it.
      if (signal.aborted && (signal.reason as TurnStop).type === 'lost_lease')
        this.#parts.feed.turnEnded(lease.channel, lease.turnId);
    }
  }

  /**
   * An agent that fails on a full disk may have had no room for its answer, whatever it says: it is tried again. As long as
   * the disk is full without its own output too, that counts as no attempt.
   */
  async #afterFullDisk(report: RuntimeReport, journal: TurnJournal): Promise<RuntimeReport> {
    const { outputs, ballast } = this.#parts;
    const { ending } = report;
    const mayLackRoom = ending.type === 'error' && ['crashed', 'parse'].includes(ending.code);
    // The notes of this turn may have been given the ballast's room, after the agent found none.
    const wasFull = mayLackRoom && (ballast.released || (await outputs.isDiskFull()));
    await journal.giveSpaceBack();
    if (!wasFull) return report;
    const isFull = (ballast.released && !(await ballast.restore())) || (await outputs.isDiskFull());
    return { ...report, ending: { ...ending, retryable: true, ...(isFull ? { shortage: true } : {}) } };
  }

  /** A session is not to blame for a full disk, nor if it has begun tools. */
  async #afterFailedResume({ attempt, asked }: ActiveAttempt): Promise<'repeat' | 'forget' | 'keep'> {
    const { outputs, ballast, runtime, now } = this.#parts;
    if (attempt.begun.length > 0 || ballast.released || (await outputs.isDiskFull())) return 'keep';
    const found = await untoldTools(attempt, asked, now(), runtime.agents);
    if (found === undefined) return 'repeat';
    return found.begun.length > 0 || found.neverTold ? 'keep' : 'forget';
  }

  /** Returns the time that a message waits if its turn could not be started. */
  #noteShortage({ ending, blocked }: RuntimeReport): number {
    const { shortage } = this.#parts;
    if (ending.type === 'error' && ending.shortage) return shortage.met();
    if (blocked === undefined) shortage.over();
    return 0;
  }

  /** The tool that runs in the channel's turn: the last one that has begun, if it has not ended. */
  runningTool(channel: string): string | undefined {
    const last = this.#running.get(channel)?.attempt.tools.at(-1);
    return last?.endedAt === undefined ? last?.name : undefined;
  }

  #show(channel: string, { type }: ChatEvent): void {
    const { feed } = this.#parts;
    feed.turnGrew(channel);
    // Tools and questions are part of the channel's status.
    if (/^(session|tool|permission)/.test(type)) feed.statusChanged(channel);
  }

  async #record(
    running: ActiveAttempt,
    chatEvent: ChatEvent,
    agent: AgentTurn,
    settings: TurnSettings,
  ): Promise<void> {
    const { lease, event, attempt, gate, journal, hookStop, stopping } = running;
    const { now, permissions } = this.#parts;
    running.agent = agent;
    attempt.recorder.accept(chatEvent);
    switch (chatEvent.type) {
      case 'session': {
        const { sessionId, model } = chatEvent;
        attempt.sessionId = sessionId;
        return journal.note({ type: 'session', sessionId, model });
      }
      case 'tool_start': {
        const { id, name, input } = chatEvent;
        const at = now();
        attempt.toolStarted({ id, name, input, startedAt: at });
        await journal.note({ type: 'tool_started', id, name, input, at });
        // A tool that nobody has to allow may run by now. The snapshot was begun before the CLI, which takes longer to start.
        await treeTaken(running);
        running.trees?.toolBegins();
        return gate.started(chatEvent);
      }
      case 'tool_end': {
        const { id, isError } = chatEvent;
        const at = now();
        attempt.toolEnded(chatEvent, at);
        const denied = chatEvent.denied ?? attempt.isDenied(id);
        journal.noteEnd({ type: 'tool_ended', id, isError, denied, at });
        return gate.ended(id);
      }
      case 'permission_request': {
        // An agent that asks for ever has asked for more by now; these questions need no record.
        if (attempt.overasked !== undefined) return;
        attempt.permissionAsked(chatEvent);
        if (stopping.aborted) return;
        await treeTaken(running);
        running.trees?.toolBegins();
        const verdict = await gate.requested(chatEvent, settings);
        // Requests that are allowed are bounded by the tools that run; those that are refused or need a person by a number.
        if (verdict.type !== 'allow') attempt.overasked = permissions.refusal(lease, chatEvent);
        if (attempt.overasked !== undefined) return hookStop.abort();
        if (verdict.type === 'ask_person') return permissions.ask(lease, event.id, chatEvent, agent);
        const reason = verdict.type === 'deny' ? verdict.reason : undefined;
        // The deadline or the end of the turn may have settled the question meanwhile.
        await agent.answerPermission(chatEvent.id, verdict.type, reason).catch(() => undefined);
        return;
      }
      case 'permission_resolved': {
        // A CLI that is stopped denies what it was asking for: nobody has decided that.
        if (stopping.aborted && chatEvent.decision === 'deny') return;
        const id = attempt.permissionAnswered(chatEvent.id, chatEvent.decision);
        if (id !== undefined) await journal.note({ type: 'tool_ended', id, ...refused, at: now() });
        return permissions.resolved(lease, chatEvent.id, chatEvent.decision);
      }
      default:
        return;
    }
  }

  async #tell({ channel, id }: StoredEvent, notice: string): Promise<void> {
    if (this.#told.get(channel) === notice) return;
    await this.#parts.post(channel, id, notice);
    this.#told.set(channel, notice);
  }

  #logProblems(channel: string, problems: readonly string[]): void {
    const summary = problems.join('\n');
    if (summary === (this.#loggedProblems.get(channel) ?? '')) return;
    if (summary === '') this.#loggedProblems.delete(channel);
    else this.#loggedProblems.set(channel, summary);
    if (summary !== '') this.#parts.log.warn('files of a channel are wrong', { channel, problems });
  }

  async #settle(end: AttemptEnd, asked: Asked | undefined): Promise<Settlement> {
    const { hooks, log, runtime } = this.#parts;
    const { event, report } = end;
    const { ending } = report;
    const { channel, id: eventId } = event;
    if (ending.type === 'complete') {
      const responseText = report.result.responseText ?? ending.text;
      const verdict = await hooks.fire('turn_end', { channel, eventId, state: 'answered', responseText });
      const text = verdict.action === 'continue' ? verdict.payload.responseText : undefined;
      return answered(end, text ?? responseText, ending.stopReason);
    }
    let settlement = unanswered(end, ending);
    const { code } = ending;
    if (settlement.type === 'postpone') {
      const found = await untoldTools(end.attempt, asked, end.at, runtime.agents);
      if (found !== undefined) settlement = begunUntold(end, settlement.retry.error, found);
    }
    if (settlement.type === 'postpone') {
      log.warn('a turn is tried again', { channel, event: eventId, attempt: event.attempts, code });
      return settlement;
    }
    const { state, error } = settlement.outcome;
    log.warn('a turn ended without an answer', { channel, event: eventId, state, code });
    await hooks.fire('turn_end', { channel, eventId, state });
    if (state === 'failed') {
      await hooks.fire('error', { channel, eventId, code, message: error?.message ?? ending.message });
    }
    return settlement;
  }
}

/** A turn without a tool has changed nothing. */
async function changesOf(
  { attempt, trees }: ActiveAttempt,
  stop: TurnStop | undefined,
): Promise<TreeChange | undefined> {
  if (attempt.tools.length === 0 || stop?.type === 'lost_lease') return undefined;
  return trees?.end();
}

function withChanges(settlement: Settlement, changes: TreeChange | undefined): Settlement {
  if (changes === undefined) return settlement;
  return settlement.type === 'finish'
    ? { ...settlement, outcome: { ...settlement.outcome, changes } }
    : { ...settlement, retry: { ...settlement.retry, changes } };
}

/** Resolves when the tree before the turn is known, or can't be, or has been waited for long enough, or the turn is to end. */
async function treeTaken({ trees, stopping }: ActiveAttempt): Promise<void> {
  if (trees === undefined || trees.isTaken || stopping.aborted) return;
  const waited = new AbortController();
  const stopped = once(stopping, 'abort', { signal: waited.signal }).catch(() => undefined);
  await Promise.race([trees.wait(), stopped]);
  waited.abort();
}
