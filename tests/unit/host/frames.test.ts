import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BrokenFrame, Frames } from '../../../src/host/frames.js';
import { maxMessageBytes } from '../../../src/host/messages.js';

const over = (stream: PassThrough) =>
  new Frames<{ type: string }, { type: string }>(stream as unknown as Socket);

describe('frames (18.7)', () => {
  it('come out the same, however their bytes are cut', async () => {
    const stream = new PassThrough();
    const frames = over(stream);
    for (const byte of Buffer.from('{"type":"é"}\n{"type":"two"}\n{"type":"unfinished"'))
      stream.write(Buffer.of(byte));
    stream.end();
    const read: { type: string }[] = [];
    for await (const message of frames.read()) read.push(message);
    expect(read).toEqual([{ type: 'é' }, { type: 'two' }]);
  });

  it.each(['no JSON', '[1]', 'null', '{"no":"type"}'])('%s is no message', async (line) => {
    const stream = new PassThrough();
    const frames = over(stream);
    stream.end(`${line}\n`);
    await expect(frames.read().next()).rejects.toThrow(BrokenFrame);
  });

  it('a message that is too long is refused, and not kept', async () => {
    const stream = new PassThrough();
    const next = over(stream).read().next();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent <= maxMessageBytes; sent += chunk.length) stream.write(chunk);
    stream.end('\n');
    await expect(next).rejects.toThrow(BrokenFrame);
  });

  it('a slow reader slows the writer, and one that leaves does not keep it', async () => {
    const stream = new PassThrough({ highWaterMark: 10 });
    const frames = over(stream);
    let sent = false;
    const sending = frames.send({ type: 'a long message' }).then(() => {
      sent = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBe(false);
    stream.read();
    await sending;
    const kept = frames.send({ type: 'another long message' });
    stream.destroy();
    await kept;
    await frames.send({ type: 'to nobody' });
    expect(frames.closed).toBe(true);
  });
});
