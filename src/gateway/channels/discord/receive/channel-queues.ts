/** Runs what is to be done in a channel one after the other. A task must not reject. */
export class ChannelQueues {
  readonly #last = new Map<string, Promise<void>>();

  add(channelId: string, task: () => Promise<void>): void {
    const before = this.#last.get(channelId) ?? Promise.resolve();
    const run = before.then(task).finally(() => {
      if (this.#last.get(channelId) === run) this.#last.delete(channelId);
    });
    this.#last.set(channelId, run);
  }

  /** Resolves when what was added so far in a channel is done. */
  async done(channelId: string): Promise<void> {
    await this.#last.get(channelId);
  }

  async empty(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}
