import type { ChatEvent } from '../../core/chat-event.js';
import { isShortage, TurnoutError } from '../../core/errors.js';
import type { StoredEvent } from '../../store/rows.js';
import type { AbandonedTurn, Claim, Lease } from '../../store/store.js';
import type { RuntimeReport, TurnObserver } from '../agent-runtime.js';
import { readSeed } from '../agents/seed.js';
import { agentChange } from '../commands/agent-change.js';
import { isImmediate, parseCommand } from '../commands/parse-command.js';
import { ChannelNotices } from './channel-notices.js';
import { collectMessages } from './collect-messages.js';
import { afterFailedResume, afterFullDisk } from './full-disk.js';
import { instructionsOf } from './instructions-of.js';
import { promptOf } from './prompt-of.js';
import { recordEvent } from './record-event.js';
import { recoverTurn } from './recover-turn.js';
import { beginTurn, isScheduled, type RunningTurn } from './running-turn.js';
import { settleTurn } from './settle-turn.js';
import { steerTurn } from './steer-turn.js';
import type { TurnHandler } from './turn-handler.js';
import { changesOf, treeTaken, withChanges } from './turn-trees.js';
import { couldNotStart, untoldTools } from './untold-tools.js';
import {
  answeredByCommand,
  failedAfterTools,
  maxRetries,
  type Settlement,
  type TurnStop,
} from './verdicts.js';
import type { WorkerParts } from './worker-parts.js';

interface TurnOptions {
  /** The events that are tried again by this one. */
  readonly retried?: readonly string[] | undefined;
  /** The reason why no agent is asked. */
  readonly refused?: string | undefined;
}

/** Works on an event of the queue: runs its command or its turn, and gives the settlement. */
export class TurnWorker implements TurnHandler {
  readonly #parts: WorkerParts;
  readonly #running = new Map<string, RunningTurn>();
  readonly #notices: ChannelNotices;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#notices = new ChannelNotices(parts);
  }

  async run(claim: Claim, signal: AbortSignal): Promise<Settlement> {
    const { lease, event } = claim;
    const isPrompt = event.kind === 'prompt';
    const refused =
      (await this.#changeAgent(event)) ?? (isPrompt ? await this.#parts.refuse?.(event) : undefined);
    if (refused !== undefined) return this.#turn(lease, [event], signal, { refused });
    const command = event.kind === 'command' ? parseCommand(event.text) : undefined;
    if (command === undefined || isImmediate(command))
      return this.#turn(lease, await collectMessages(lease, event, this.#parts), signal);
    const result = await this.#parts.commands.run(command, event.channel);
    if (result.type === 'prompt')
      return this.#turn(lease, [{ ...event, ...result.again }], signal, { retried: result.retried });
    return { type: 'finish', outcome: { ...answeredByCommand(result, this.#parts.now()), events: [] } };
  }

  /** Puts a message into the channel's running turn. False if that can't be done: the message waits like any other. */
  async steer(event: StoredEvent): Promise<boolean> {
    const running = this.#running.get(event.channel);
    return running !== undefined && steerTurn(running, event, this.#parts);
  }

  recover(abandoned: AbandonedTurn, signal: AbortSignal): Promise<Settlement> {
    return recoverTurn(abandoned, this.#parts, signal);
  }

  async settled(lease: Lease): Promise<void> {
    await this.#parts.outputs.remove(lease.turnId);
  }

  /** The tool that runs in the channel's turn: the last one that has begun, if it has not ended. */
  runningTool(channel: string): string | undefined {
    const last = this.#running.get(channel)?.attempt.tools.at(-1);
    return last?.endedAt === undefined ? last?.name : undefined;
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

  async #turn(
    lease: Lease,
    events: readonly StoredEvent[],
    signal: AbortSignal,
    options: TurnOptions = {},
  ): Promise<Settlement> {
    const { permissions, feed, log } = this.#parts;
    const [event] = events;
    if (event === undefined) throw new Error('A turn without an event.');
    const running = beginTurn(lease, event, signal, this.#parts);
    running.mayStaySilent = events.every(isScheduled);
    this.#running.set(lease.channel, running);
    log.info('turn began', { channel: lease.channel, turn: lease.turnId });
    feed.turnBegan(lease.channel, { turnId: lease.turnId, record: running.attempt.recorder });
    try {
      const told = await this.#ask(running, events, options);
      // A message that the agent did not take must have left the turn before all in it counts as answered.
      this.#running.delete(lease.channel);
      await Promise.allSettled(running.steering);
      return await this.#ended(running, told, signal);
    } catch (error) {
      return await this.#broken(running, error);
    } finally {
      this.#running.delete(lease.channel);
      permissions.turnEnded(lease);
      // Whoever has taken the turn over settles it.
      if (stopOf(signal)?.type === 'lost_lease') feed.turnEnded(lease.channel, lease.turnId);
    }
  }

  async #ask(
    running: RunningTurn,
    events: readonly StoredEvent[],
    { retried = [], refused }: TurnOptions,
  ): Promise<RuntimeReport> {
    const { store, runtime, outputs } = this.#parts;
    const { lease, event, attempt, stopping } = running;
    return runtime.run(
      {
        channel: lease.channel,
        source: event.source,
        eventId: event.id,
        author: event.author,
        text: promptOf(events),
        instructions: instructionsOf(events),
        mayStaySilent: running.mayStaySilent,
        place: this.#parts.placeOf?.(lease.channel),
        stdoutFile: await outputs.fileFor(lease.turnId),
        pending: attempt.pending,
        isRetry: event.attempts > 1,
        isLast: event.attempts > maxRetries,
        chosen: await store.channel(lease.channel),
        refused,
        seed: (session) =>
          readSeed(store, lease.channel, session, { beforeSeq: event.seq, without: retried }),
      },
      this.#observe(running, promptOf(events.slice(-1))),
      stopping,
    );
  }

  #observe(running: RunningTurn, prompt: string): TurnObserver {
    const { snapshots, now } = this.#parts;
    const { lease, event, attempt, journal } = running;
    return {
      told: (notice) => this.#notices.tell(event, notice),
      began: async (setup) => {
        // A session that got lost is followed by another attempt: its id is not this one's.
        attempt.sessionId = undefined;
        const at = now();
        await journal.note({ type: 'began', ...setup });
        running.asked = { setup, at, prompt };
        running.trees ??= snapshots.begin(setup.cwd);
        if (running.trees.isFirst) await treeTaken(running);
      },
      saw: async (chatEvent, agent, settings) => {
        await recordEvent(running, chatEvent, agent, settings, this.#parts);
        this.#show(lease.channel, chatEvent);
      },
      resumeFailed: () => afterFailedResume(running, this.#parts),
      hasBegunElsewhere: async () => {
        const found = await untoldTools(attempt, running.asked, now(), this.#parts.runtime.agents);
        for (const tool of found?.begun ?? []) attempt.toolStarted(tool);
        return attempt.begun.length > 0;
      },
    };
  }

  #show(channel: string, { type }: ChatEvent): void {
    const { feed } = this.#parts;
    feed.turnGrew(channel);
    // Tools and questions are part of the channel's status.
    if (/^(session|tool|permission)/.test(type)) feed.statusChanged(channel);
  }

  async #ended(running: RunningTurn, told: RuntimeReport, signal: AbortSignal): Promise<Settlement> {
    const { config, now } = this.#parts;
    const { lease, event, attempt } = running;
    const report = await afterFullDisk(told, running, this.#parts);
    this.#notices.logProblems(lease.channel, report.settings.problems);
    const stop = stopOf(signal);
    const changes = await changesOf(running, stop);
    const { retryDelayMs } = config;
    const shortageDelayMs = this.#noteShortage(report);
    const delays = { retryDelayMs, shortageDelayMs };
    if (couldNotStart(told.ending, attempt)) delete running.asked;
    const { mayStaySilent } = running;
    const end = { event, attempt, report, stop, mayStaySilent, at: now(), ...delays };
    return withChanges(await settleTurn(end, running.asked, this.#parts), changes);
  }

  /** Returns the time that a message waits if its turn could not be started. */
  #noteShortage({ ending, blocked }: RuntimeReport): number {
    const { shortage } = this.#parts;
    if (ending.type === 'error' && ending.shortage) return shortage.met();
    if (blocked === undefined) shortage.over();
    return 0;
  }

  /**
   * `LeaseKeeper` decides about an error before any tool; it does not know the tools. The rest of the output, which was not
   * read, may tell of one: it stays until the settlement is on disk.
   */
  async #broken(running: RunningTurn, error: unknown): Promise<Settlement> {
    const { runtime, shortage, now } = this.#parts;
    const { attempt, journal } = running;
    if (attempt.begun.length > 0) {
      await journal.giveSpaceBack();
      const changes = await changesOf(running, undefined);
      return withChanges(failedAfterTools(attempt, error, now()), changes);
    }
    const found = await untoldTools(attempt, running.asked, now(), runtime.agents);
    if (found !== undefined) return failedAfterTools(attempt, error, now(), found);
    if (isShortage(error)) shortage.met();
    throw error;
  }
}

function stopOf(signal: AbortSignal): TurnStop | undefined {
  return signal.aborted ? (signal.reason as TurnStop) : undefined;
}
