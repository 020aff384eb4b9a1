/** A first-in, first-out queue with constant-time operations. An item that was taken is not kept. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.length <= 1 && this.#taken === 0) return this.#items.pop();
    const item = this.#items[this.#taken];
    this.#items[this.#taken] = undefined;
    this.#taken += 1;
    if (this.length === 0) this.clear();
    else if (this.#taken >= manyTaken && this.#taken >= this.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }

  /** The item that `shift` returns next. */
  get first(): T | undefined {
    return this.#items[this.#taken];
  }

  clear(): void {
    this.#items = [];
    this.#taken = 0;
  }
}

const manyTaken = 1024;
