/** The time of the loopback Discord. A test moves it forward instead of waiting. */
export class MovableClock {
  #ahead = 0;
  #lastId = 0n;

  now(): number {
    return Date.now() + this.#ahead;
  }

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  /** A snowflake of now that is greater than all before it. */
  nextId(): string {
    const id = BigInt(snowflakeAt(this.now()));
    this.#lastId = id > this.#lastId ? id : this.#lastId + 1n;
    return String(this.#lastId);
  }
}

/** The smallest snowflake of that millisecond. */
export function snowflakeAt(time: number): string {
  return String(BigInt(time - firstMillisecond) << 22n);
}

/** Snowflakes count from the first second of 2015. */
const firstMillisecond = Date.UTC(2015, 0, 1);
