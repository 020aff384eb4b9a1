/** Runs what is to be done in a channel one after the other. A task must not reject. */
export class ChannelQueues {
  readonly #last = new Map<string, Promise<void>>();
  readonly #onIdle: (channelId: string) => void;

  /** `onIdle` is told when nothing is left to do in a channel. */
  constructor(onIdle: (channelId: string) => void = () => {}) {
    this.#onIdle = onIdle;
  }

  add(channelId: string, task: () => Promise<void>): void {
    const before = this.#last.get(channelId) ?? Promise.resolve();
    const run = before.then(task).finally(() => {
      if (this.#last.get(channelId) !== run) return;
      this.#last.delete(channelId);
      this.#onIdle(channelId);
    });
    this.#last.set(channelId, run);
  }

  isBusy(channelId: string): boolean {
    return this.#last.has(channelId);
  }

  /** Resolves when what was added so far in a channel is done. */
  async done(channelId: string): Promise<void> {
    await this.#last.get(channelId);
  }

  async empty(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}
