import type { Log } from '../../config/log.js';
import type { QueueMode } from '../../config/settings.js';
import { within } from '../../core/wait.js';
import type { StoredEvent } from '../../store/rows.js';
import type { AcceptOptions, NewEvent, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import type { IncomingMessage, Receipt } from '../channels/types.js';
import { agentChange } from '../commands/agent-change.js';
import { byCommand, type ImmediateCommands } from '../commands/immediate-commands.js';
import { type ImmediateCommand, isImmediate, parseCommand } from '../commands/parse-command.js';
import type { HookManager } from '../hooks/hook-manager.js';
import type { PermissionRequests } from '../turns/permission-requests.js';
import type { TurnWorker } from '../turns/turn-worker.js';
import { answeredByCommand, overtaken, refusedByHook, type Stopped } from '../turns/verdicts.js';
import { ChannelOrder } from './channel-order.js';
import type { EventQueue } from './event-queue.js';

export interface InboxParts {
  readonly store: Store;
  readonly queue: EventQueue;
  readonly worker: TurnWorker;
  readonly runtime: AgentRuntime;
  readonly commands: ImmediateCommands;
  readonly hooks: HookManager;
  readonly permissions: Pick<PermissionRequests, 'wasDecided'>;
  readonly log: Log;
  readonly now: () => number;
}

const byNewer: Stopped = { type: 'stopped', by: 'a newer message' };

interface Meeting {
  readonly mode: QueueMode | undefined;
  readonly effect: Pick<AcceptOptions, 'cancels' | 'stops' | 'history'>;
}

/** The sender of a /stop waits for this long for the turn to end. */
const stopMs = 10_000;

/** Takes messages in: through hooks and commands into the queue, and, by the queue mode, into a turn that runs already. */
export class Inbox {
  readonly #parts: InboxParts;
  readonly #hookOrder = new ChannelOrder();
  readonly #modeOrder = new ChannelOrder();
  /** The number of prompts of each channel that are being accepted: none of them is in the store yet. */
  readonly #accepting = new Map<string, number>();

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** Resolves when the message is on disk. */
  async receive(message: IncomingMessage): Promise<Receipt> {
    if (!this.#parts.hooks.has('message')) return this.#accept(message);
    // A slow hook must not let a later message of the channel overtake.
    return this.#hookOrder.run(message.channel, () => this.#receiveThroughHooks(message));
  }

  async #receiveThroughHooks(message: IncomingMessage): Promise<Receipt> {
    const { hooks, queue } = this.#parts;
    const { channel, source, text, context, author, messageId } = message;
    const known = await this.#findRepeated(message);
    if (known !== undefined) return { event: known, repeated: true };
    const payload = { channel, source, text, context, author, messageId };
    const verdict = await hooks.fire('message', payload);
    if (verdict.action === 'continue')
      return this.#accept({ ...message, text: verdict.payload.text, context: verdict.payload.context });
    const settled = refusedByHook(verdict.reason, this.#parts.now());
    return queue.accept(this.#event(message, 'prompt'), { settled });
  }

  /** Changes a prompt that waits; hooks may change it further, or drop the message. False if it waits no more. */
  async change(event: StoredEvent, text: string, context: string | undefined): Promise<boolean> {
    const { hooks, queue, store } = this.#parts;
    if (!hooks.has('message')) return store.changeWaiting(event.id, text, context);
    const { channel, source, author, messageId } = event;
    return this.#hookOrder.run(channel, async () => {
      const verdict = await hooks.fire('message', { channel, source, text, context, author, messageId });
      if (verdict.action === 'continue')
        return store.changeWaiting(event.id, verdict.payload.text, verdict.payload.context);
      return queue.cancel(event);
    });
  }

  async #accept(message: IncomingMessage): Promise<Receipt> {
    const command = parseCommand(message.text);
    if (command === undefined) return this.#acceptPrompt(message);
    if (isImmediate(command)) return this.#acceptImmediate(message, command);
    // Behind the prompts that came before it.
    await this.#modeOrder.run(message.channel, async () => undefined);
    await this.#checkAgent(message);
    return this.#parts.queue.accept(this.#event(message, 'command'), { history: message.history });
  }

  /** A prompt that finds its channel busy is accepted, and has its effect, as the queue mode says. */
  async #acceptPrompt(message: IncomingMessage): Promise<Receipt> {
    const { queue, worker } = this.#parts;
    const { channel } = message;
    const others = this.#accepting.get(channel) ?? 0;
    this.#accepting.set(channel, others + 1);
    try {
      // In order: reading a channel's files must not let a later message overtake.
      const { mode, effect } = await this.#modeOrder.run(channel, () => this.#meet(message, others));
      const accepted = await queue.accept(this.#event(message, 'prompt'), effect);
      const { event } = accepted;
      if (accepted.repeated || event.state !== 'queued') return accepted;
      // The sender does not wait for this: the message is on disk, and another turn may take long to end.
      if (mode === 'interrupt') void queue.stopSurely(channel, byNewer, event.seq);
      if (mode === 'steer') void worker.steer(event).catch((error: unknown) => this.#logWaits(error));
      return accepted;
    } finally {
      const left = (this.#accepting.get(channel) ?? 1) - 1;
      if (left === 0) this.#accepting.delete(channel);
      else this.#accepting.set(channel, left);
    }
  }

  /** The queue mode, and what it makes of a prompt, if something runs, waits or is being accepted in the channel. */
  async #meet(message: IncomingMessage, others: number): Promise<Meeting> {
    const { store, queue, runtime } = this.#parts;
    const { channel, queueMode, history } = message;
    await this.#checkAgent(message);
    const free = others === 0 && !queue.isRunning(channel) && (await store.countWaiting(channel)) === 0;
    if (free) return { mode: undefined, effect: { history } };
    const mode = queueMode ?? (await runtime.settings(channel, await store.channel(channel))).queueMode;
    return { mode, effect: { history, ...(mode === 'interrupt' ? await this.#overtaking(channel) : {}) } };
  }

  /** The newest message wins: what waits in front of it is never run, and what runs is stopped. */
  async #overtaking(channel: string): Promise<Meeting['effect']> {
    const { queue, now } = this.#parts;
    const stoppable = await queue.stoppable(channel, byNewer);
    const turnId = stoppable?.turnId;
    return {
      cancels: [...(stoppable?.cancels ?? []), overtaken(channel, now())],
      stops: turnId === undefined ? undefined : { turnId, by: byNewer.by },
    };
  }

  #logWaits(error: unknown): void {
    this.#parts.log.error('a message could not be brought into the running turn: it waits', { error });
  }

  /** A command that must not wait in the queue is stored with its effect and its reply, all or nothing. */
  async #acceptImmediate(message: IncomingMessage, command: ImmediateCommand): Promise<Receipt> {
    const { queue, commands, permissions, now } = this.#parts;
    const { channel, author } = message;
    const known = await this.#findRepeated(message);
    if (known !== undefined) return { event: known, repeated: true };
    const { text, change, cancels, stops, decides } = await commands.plan(command, channel, author);
    const stopped = byCommand(author);
    const replyTo = typeof text === 'string' ? () => text : text;
    const accepted = await queue.accept(this.#event(message, 'command'), {
      settled: (effect) => answeredByCommand({ text: replyTo(effect), change }, now()),
      cancels,
      decides,
      stops: stops?.turnId === undefined ? undefined : { turnId: stops.turnId, by: stopped.by },
    });
    if (accepted.decided !== undefined) await permissions.wasDecided(accepted.decided);
    // A process can't be stopped in a transaction: it is stopped when the command is on disk, and only by the first of its
    // kind. The turn may take a while to end, or to be written.
    if (stops !== undefined && !accepted.repeated)
      await within(stopMs, queue.stopSurely(channel, stopped, stops.eventSeq + 1));
    return accepted;
  }

  /** The event of a message that came before: it must not be done, or told to a hook, once more. */
  async #findRepeated({ source, channel, messageId }: IncomingMessage): Promise<StoredEvent | undefined> {
    return messageId === undefined ? undefined : this.#parts.store.eventOf(source, channel, messageId);
  }

  /** Rejects for an agent that can't be used, while its sender still listens. Its turn changes the channel to it. */
  async #checkAgent({ agent, channel }: IncomingMessage): Promise<void> {
    if (agent !== undefined) await agentChange(this.#parts, channel, agent);
  }

  #event(message: IncomingMessage, kind: NewEvent['kind']): NewEvent {
    const { channel, source, text, messageId, author, context, instructions, agent, queueMode } = message;
    const at = this.#parts.now();
    return { channel, source, text, messageId, author, context, instructions, agent, queueMode, kind, at };
  }
}
