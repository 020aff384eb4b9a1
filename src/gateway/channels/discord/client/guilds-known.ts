import { type Client, Events } from 'discord.js';

/** Discord tells of the guilds one by one after a session has begun. discord.js waits for those that are out of order, too: not for long. */
export class GuildsKnown {
  #isKnown = false;
  #waiting: (() => void)[] = [];

  follow(client: Client): void {
    client.on(Events.Raw, ({ t }: { readonly t: string | null }) => {
      if (t === 'READY') this.#isKnown = false;
    });
    client.on(Events.ShardReady, () => {
      this.#isKnown = true;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const go of waiting) go();
    });
  }

  wait(): Promise<void> {
    if (this.#isKnown) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
