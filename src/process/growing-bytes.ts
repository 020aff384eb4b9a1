/**
 * Collects bytes that arrive piece by piece in one buffer that doubles: the cost is linear and the memory
 * bounded whatever the size of the pieces (a list of one-byte chunks would cost a hundred times its content).
 */
export class GrowingBytes {
  readonly #limit: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  /** Appends as much of the piece as fits below the limit, and returns the number of bytes that did. */
  append(piece: Uint8Array): number {
    const kept = Math.min(piece.length, this.#limit - this.#length);
    if (kept <= 0) return 0;
    this.#reserve(this.#length + kept);
    this.#buffer.set(kept === piece.length ? piece : piece.subarray(0, kept), this.#length);
    this.#length += kept;
    return kept;
  }

  /** Returns a view that is valid until the next change. */
  view(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    if (this.#buffer.length > worthKeeping) this.#buffer = Buffer.alloc(0);
  }

  #reserve(size: number): void {
    if (size <= this.#buffer.length) return;
    const doubled = Math.max(size, this.#buffer.length * 2, smallest);
    const larger = Buffer.allocUnsafeSlow(Math.min(doubled, this.#limit));
    larger.set(this.view());
    this.#buffer = larger;
  }
}

const smallest = 4096;
const worthKeeping = 1024 * 1024;
