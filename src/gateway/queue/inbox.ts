import type { Log } from '../../config/log.js';
import type { StoredEvent } from '../../store/rows.js';
import type { NewEvent, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import type { IncomingMessage, Receipt } from '../channels/types.js';
import type { ChatCommands } from '../commands/chat-commands.js';
import { type Command, isImmediate, parseCommand } from '../commands/parse-command.js';
import type { HookManager } from '../hooks/hook-manager.js';
import type { TurnWorker } from '../turns/turn-worker.js';
import { answeredByCommand, refusedByHook } from '../turns/verdicts.js';
import type { EventQueue } from './event-queue.js';

export interface InboxParts {
  readonly store: Store;
  readonly queue: EventQueue;
  readonly worker: TurnWorker;
  readonly runtime: AgentRuntime;
  readonly commands: ChatCommands;
  readonly hooks: HookManager;
  readonly log: Log;
  readonly now: () => number;
}

/** Takes messages in: through hooks and commands into the queue, and, by the queue mode, into a turn that runs already. */
export class Inbox {
  readonly #parts: InboxParts;
  /** The last message of each channel whose hooks run: the next one waits for it. */
  readonly #lastInOrder = new Map<string, Promise<unknown>>();

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** Resolves when the message is on disk. */
  async receive(message: IncomingMessage): Promise<Receipt> {
    if (!this.#parts.hooks.has('message')) return this.#accept(message);
    // A slow hook must not let a later message of the channel overtake.
    return this.#inOrder(message.channel, () => this.#receiveThroughHooks(message));
  }

  async #receiveThroughHooks(message: IncomingMessage): Promise<Receipt> {
    const { hooks, queue } = this.#parts;
    const { channel, source, text, messageId } = message;
    const known = await this.#findRepeated(message);
    if (known !== undefined) return { event: known, repeated: true };
    const verdict = await hooks.fire('message', { channel, source, text, author: message.author, messageId });
    if (verdict.action === 'continue') return this.#accept({ ...message, text: verdict.payload.text });
    const settled = refusedByHook(verdict.reason, this.#parts.now());
    return queue.accept(this.#event(message, 'prompt'), { settled });
  }

  async #accept(message: IncomingMessage): Promise<Receipt> {
    const command = parseCommand(message.text);
    if (command !== undefined && isImmediate(command)) return this.#runImmediately(message, command);
    const { queue, log } = this.#parts;
    const event = this.#event(message, command === undefined ? 'prompt' : 'command');
    const accepted = await queue.accept(event);
    const waits = accepted.event.state === 'queued' && !accepted.repeated;
    if (waits && accepted.event.kind === 'prompt') {
      // The sender does not wait for this: the message is on disk, and another turn may take long to end.
      void this.#applyQueueMode(accepted.event).catch((error: unknown) =>
        log.error('a message could not be brought to what its channel works on: it waits', { error }),
      );
    }
    return accepted;
  }

  /** Runs a command that must not wait in the queue, then stores it together with its reply. */
  async #runImmediately(message: IncomingMessage, command: Command): Promise<Receipt> {
    const { queue, commands, now } = this.#parts;
    const known = await this.#findRepeated(message);
    if (known !== undefined) return { event: known, repeated: true };
    const result = await commands.run(command, message.channel);
    const change = result.type === 'reply' ? result.change : undefined;
    const settled = answeredByCommand({ text: result.text, change }, now());
    return queue.accept(this.#event(message, 'command'), { settled });
  }

  /** The event of a message that came before: it must not be done, or told to a hook, once more. */
  async #findRepeated({ source, channel, messageId }: IncomingMessage): Promise<StoredEvent | undefined> {
    return messageId === undefined ? undefined : this.#parts.store.eventOf(source, channel, messageId);
  }

  /** Interrupts or steers the channel's running turn, or the message that waits for its retry, as the queue mode says. */
  async #applyQueueMode(event: StoredEvent): Promise<void> {
    const { store, runtime, queue, worker } = this.#parts;
    const { channel } = event;
    if (!queue.isRunning(channel) && (await queue.retryAt(channel)) === undefined) return;
    const { queueMode } = await runtime.settings(channel, await store.channel(channel));
    if (queueMode === 'interrupt')
      await queue.stop(channel, { type: 'stopped', by: 'a newer message' }, event.seq);
    if (queueMode === 'steer') await worker.steer(event);
  }

  #event(message: IncomingMessage, kind: NewEvent['kind']): NewEvent {
    return { ...message, kind, at: this.#parts.now() };
  }

  #inOrder<T>(channel: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#lastInOrder.get(channel) ?? Promise.resolve()).then(act, act);
    const tail = turn.catch(() => undefined);
    this.#lastInOrder.set(channel, tail);
    void tail.then(() => {
      if (this.#lastInOrder.get(channel) === tail) this.#lastInOrder.delete(channel);
    });
    return turn;
  }
}
