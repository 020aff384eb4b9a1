/** Runs one act at a time for each channel, in the order of the calls. */
export class ChannelOrder {
  /** The last act of each channel: the next one waits for it. */
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(channel: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(channel) ?? Promise.resolve()).then(act, act);
    const tail = turn.catch(() => undefined);
    this.#last.set(channel, tail);
    void tail.then(() => {
      if (this.#last.get(channel) === tail) this.#last.delete(channel);
    });
    return turn;
  }
}
