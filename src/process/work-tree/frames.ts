/** A message between the gateway and a reader: JSON, and bytes that are not part of it. */
export interface Frame {
  readonly value: unknown;
  readonly content: Buffer;
}

const none = Buffer.alloc(0);

export function encodeFrame(value: unknown, content: Buffer = none): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(json.length, 0);
  lengths.writeUInt32BE(content.length, 4);
  return Buffer.concat([lengths, json, content]);
}

/** Makes frames of a stream of bytes. Throws for one that is larger than anybody sends. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;

  *push(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    for (;;) {
      if (this.#size < 8) return;
      const lengths = this.#peek(8);
      const [json, content] = [lengths.readUInt32BE(0), lengths.readUInt32BE(4)];
      const whole = 8 + json + content;
      if (whole > maxFrameBytes) throw new Error('A frame is too large.');
      if (this.#size < whole) return;
      const bytes = Buffer.concat(this.#chunks, this.#size);
      this.#chunks = [bytes.subarray(whole)];
      this.#size -= whole;
      const value: unknown = JSON.parse(bytes.toString('utf8', 8, 8 + json));
      yield { value, content: bytes.subarray(8 + json, whole) };
    }
  }

  #peek(size: number): Buffer {
    const [first = none] = this.#chunks;
    if (first.length >= size) return first;
    this.#chunks = [Buffer.concat(this.#chunks, this.#size)];
    return this.#chunks[0] ?? none;
  }
}

const maxFrameBytes = 64 * 1024 ** 2;
