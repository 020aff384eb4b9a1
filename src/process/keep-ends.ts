import { StringDecoder } from 'node:string_decoder';
import { GrowingBytes } from './growing-bytes.js';

export const defaultStderrBytes = 256 * 1024;

/**
 * Keeps the first and the last half of a child's stderr: the cause of a failure stands at either end, and a
 * flood in between must not cost memory.
 */
export class EndsKeeper {
  readonly #head: GrowingBytes;
  readonly #half: number;
  #ring: Buffer | undefined;
  /** The number of bytes after the head was full; the last of them are in the ring. */
  #afterHead = 0;

  constructor(limit: number = defaultStderrBytes) {
    this.#half = Math.max(1, Math.floor(limit / 2));
    this.#head = new GrowingBytes(this.#half);
  }

  push(chunk: Buffer): void {
    const rest = chunk.subarray(this.#head.append(chunk));
    if (rest.length === 0) return;
    this.#ring ??= Buffer.alloc(this.#half);
    const last = rest.subarray(Math.max(0, rest.length - this.#half));
    const at = (this.#afterHead + rest.length - last.length) % this.#half;
    const untilWrap = last.subarray(0, this.#half - at);
    this.#ring.set(untilWrap, at);
    this.#ring.set(last.subarray(untilWrap.length), 0);
    this.#afterHead += rest.length;
  }

  text(): string {
    const leftOut = this.#afterHead - this.#half;
    if (leftOut <= 0) return decode(Buffer.concat([this.#head.view(), this.#tail()]));
    return `${decode(this.#head.view())}\n[… ${leftOut} bytes left out …]\n${decode(fromCharacter(this.#tail()))}`;
  }

  #tail(): Buffer {
    if (this.#ring === undefined) return Buffer.alloc(0);
    if (this.#afterHead <= this.#half) return this.#ring.subarray(0, this.#afterHead);
    const at = this.#afterHead % this.#half;
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
  }
}

/** Leaves out an incomplete character at the end. */
function decode(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes);
}

/** Skips the rest of a character that was cut in two. */
function fromCharacter(bytes: Buffer): Buffer {
  let at = 0;
  while (at < 3 && isContinuation(bytes[at])) at += 1;
  return bytes.subarray(at);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
