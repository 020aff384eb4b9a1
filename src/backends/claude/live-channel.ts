import type { LiveEvent } from '../live/types.js';

/** The events of one turn on their way to its reader, who may be slow, and may leave. */
export class TurnChannel {
  readonly id: string;
  /** Resolves when the turn's ending has come, read or not. */
  readonly over: Promise<void>;
  isOver = false;
  /** It is to stop. */
  stopped = false;
  #events: LiveEvent[] = [];
  #weight = 0;
  #left = false;
  #finish: () => void = () => {};
  #arrived: (() => void) | undefined;
  #drained: (() => void) | undefined;

  constructor(id: string) {
    this.id = id;
    this.over = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  push(events: readonly LiveEvent[]): void {
    for (const event of events) {
      if (this.isOver) return;
      if (event.type === 'ending') this.isOver = true;
      if (this.#left) continue;
      this.#events.push(event);
      this.#weight += weightOf(event);
    }
    if (this.isOver) this.#finish();
    this.#arrived?.();
  }

  /** A promise while there is no room; a turn that is to stop has no need to wait for its reader. */
  room(): Promise<void> | undefined {
    if (this.#weight <= maxWeight || this.#left || this.stopped) return undefined;
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  stop(): void {
    this.stopped = true;
    this.#drained?.();
  }

  /** `begin` is to make the events come. */
  async *read(begin: () => Promise<void>): AsyncGenerator<readonly LiveEvent[]> {
    try {
      await begin();
      for (;;) {
        const events = this.#events;
        if (events.length > 0) {
          this.#events = [];
          this.#weight = 0;
          this.#drained?.();
          yield events;
        } else if (this.isOver) return;
        else {
          await new Promise<void>((resolve) => {
            this.#arrived = resolve;
          });
        }
      }
    } finally {
      this.#left = true;
      this.#events = [];
      this.#drained?.();
    }
  }
}

const maxWeight = 4 * 1024 * 1024;

function weightOf(event: LiveEvent): number {
  if (event.type === 'text' || event.type === 'thinking') return 64 + event.text.length;
  if (event.type === 'tool_end') return 64 + event.output.length;
  return 256;
}
