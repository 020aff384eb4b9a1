import { readdirSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { LineReader } from '../../../src/process/read-lines.js';
import { startProcess } from '../../../src/process/start-process.js';
import { patience } from '../../machine-speed.js';
import { isRunning, lineByLine, readAll, startFixture } from './start-fixture.js';

describe('lines (S7)', () => {
  it('delivers all that a child wrote before it exited to a slow reader', async () => {
    const child = await startFixture('print-lines.mjs', ['50000', '100']);
    const numbers: number[] = [];
    for await (const lines of child.lines()) {
      numbers.push(...lines.map(({ text }) => Number.parseInt(text, 10)));
      await sleep(1);
    }
    expect(numbers).toEqual(Array.from({ length: 50_000 }, (_, line) => line));
  });

  it('delivers what lay in the pipe when nobody read until long after the exit', async () => {
    const child = await startFixture('print-lines.mjs', ['500', '100']);
    await child.exited;
    await sleep(300);
    expect(await readAll(child)).toHaveLength(500);
  });

  it.each<[string, (busy: () => void) => void]>([
    ['its reader', (busy) => busy()],
    ['somebody else', (busy) => setImmediate(busy)],
  ])('loses nothing when %s keeps the loop busy for longer than the grace', async (_, when) => {
    const child = await startFixture('print-lines.mjs', ['1500', '100']);
    await Promise.race([child.exited, sleep(1000)]);
    let count = 0;
    for await (const lines of child.lines()) {
      count += lines.length;
      when(() => {
        const until = performance.now() + 250;
        while (performance.now() < until);
      });
    }
    expect(count).toBe(1500);
  });

  it('takes one line of 64 MB', async () => {
    const size = 64_000_000;
    const lines = await readAll(await startFixture('long-line.mjs', [String(size)]));
    expect(lines.map(({ text }) => text.length)).toEqual([size, 3]);
  });

  it('cuts a line over the limit and goes on', async () => {
    const lines = await readAll(await startFixture('long-line.mjs', ['5000000'], { maxLineBytes: 1000 }));
    expect(lines).toEqual([{ text: 'x'.repeat(1000), truncated: true }, { text: 'end' }]);
  });

  it('holds the child up while the reader waits', async () => {
    const child = await startFixture('endless.mjs');
    const next = lineByLine(child);
    await next();
    const written = () => Number(child.stderr().trim().split('\n').at(-1));
    // Read-ahead and pipe are filled first; then nothing moves.
    let before = -1;
    while (written() !== before) {
      before = written();
      await sleep(300);
    }
    expect(before).toBeLessThan(16_000_000);
    let line = 1;
    while (line < 15_000 && Number.parseInt(await next(), 10) === line) line++;
    expect(line).toBe(15_000);
    await vi.waitFor(
      () => expect(Number(child.stderr().trim().split('\n').at(-1))).toBeGreaterThan(before),
      patience,
    );
  });

  it.each([
    ['silent or chatty', ['silent', 'chatty', 'grumbling']],
    ['flooding', ['flooding']],
  ])('ends after the exit although a %s grandchild holds the pipes', async (_, kinds) => {
    const outcomes = await Promise.all(
      kinds.map(async (kind) => {
        const child = await startFixture('hold-pipe.mjs', [kind]);
        const lines = (await readAll(child)).slice(0, 10).map(({ text }) => text);
        return { kind, lines, said: child.stderr().includes('last words'), exit: await child.exited };
      }),
    );
    const lines = Array.from({ length: 10 }, (_, line) => `line ${line}`);
    expect(outcomes).toEqual(
      kinds.map((kind) => ({ kind, lines, said: true, exit: { code: 0, signal: null } })),
    );
  });

  it('closes the pipe when the reader leaves the loop, and the child can be ended', async () => {
    const child = await startFixture('endless.mjs');
    for await (const _ of child.lines()) break;
    await child.end();
    expect(isRunning(child.pid)).toBe(false);
  });

  it('can be read after the end', async () => {
    const child = await startFixture('print-lines.mjs', ['10', '10']);
    await child.endLeftovers();
    expect(await readAll(child)).toHaveLength(10);
  });

  it('can be read once', async () => {
    const child = await startFixture('print-lines.mjs', ['1', '1']);
    expect(await readAll(child)).toHaveLength(1);
    await expect(readAll(child)).rejects.toMatchObject({ code: 'bad_request' });
  });

  it.runIf(process.platform === 'linux')('leaves no descriptor open', async () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    const held = await startFixture('hold-pipe.mjs', ['silent']);
    await readAll(held);
    for (let round = 0; round < 2; round++) {
      const [unread, read, left] = await Promise.all([
        startFixture('print-lines.mjs', ['10', '10'], { stdin: 'open' }),
        startFixture('print-lines.mjs', ['10', '10'], { stdin: 'open' }),
        startFixture('endless.mjs', [], { stdin: { text: 'x' } }),
        startProcess({ command: '/no/such', args: [], env: {}, stdin: 'open' }).catch(() => {}),
      ]);
      await unread.endLeftovers();
      await readAll(read);
      for await (const _ of left.lines()) break;
      await left.end({ graceMs: 0 });
    }
    await vi.waitFor(() => expect(open()).toBeLessThanOrEqual(before), patience);
  });

  it('a line that there is no memory for is told to its reader', async () => {
    const stdout = new PassThrough();
    const reader = new LineReader(stdout);
    const read = reader.next();
    const allocation = vi.spyOn(Buffer, 'allocUnsafeSlow').mockImplementation(() => {
      throw new RangeError('Array buffer allocation failed');
    });
    stdout.write('half a line');
    await expect(read).rejects.toThrow('allocation failed');
    allocation.mockRestore();
    expect(stdout.destroyed).toBe(true);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it('gives all lines to a reader that pauses, once', async () => {
    const child = await startFixture('print-lines.mjs', ['20000', '100']);
    const numbers: number[] = [];
    for await (const lines of child.lines()) {
      numbers.push(...lines.map(({ text }) => Number.parseInt(text, 10)));
      if (numbers.length % 3 !== 0) await sleep(1);
    }
    expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, line) => line));
    expect(() => child.lines()).toThrow(/can be read only once/);
  });

  describe('the end of a pipe', () => {
    it.each([
      ['whole lines', ['a\nb\n'], ['a', 'b']],
      ['an unfinished line', ['a\n', 'b'], ['a', 'b']],
      ['nothing', [], []],
      ['an unfinished line alone', ['a'], ['a']],
    ])('tells the end when the pipe ends right behind %s', async (_, chunks, lines) => {
      for (const ended of ['at once', 'later'] as const) {
        const stdout = new PassThrough({ emitClose: false });
        const reading = read(new LineReader(stdout));
        for (const chunk of chunks) stdout.write(chunk);
        if (ended === 'later') await sleep(5);
        stdout.end();
        expect(await reading).toEqual(lines);
      }
    });

    it('takes all that came while its reader was busy, and then the end that came with it', async () => {
      const stdout = new PassThrough({ emitClose: false });
      const busy = gate();
      const reading = read(new LineReader(stdout), (line) => (line === 'a' ? busy.opens : undefined));
      stdout.write('a\n');
      await sleep(5);
      stdout.write('b\n');
      await sleep(5);
      stdout.end('c\n');
      await sleep(5);
      busy.open();
      expect(await reading).toEqual(['a', 'b', 'c']);
    });

    it('takes all that came while its reader was busy from a pipe that stays open', async () => {
      const stdout = new PassThrough();
      const busy = gate();
      const seen: string[] = [];
      const reader = new LineReader(stdout);
      const reading = read(reader, (line) => {
        seen.push(line);
        return line === 'a' ? busy.opens : undefined;
      });
      for (const line of ['a\n', 'b\n', 'half ', 'a line\n', 'c\n']) {
        stdout.write(line);
        await sleep(2);
      }
      expect(seen).toEqual(['a']);
      busy.open();
      await vi.waitFor(() => expect(seen).toEqual(['a', 'b', 'half a line', 'c']), patience);
      stdout.end();
      await reading;
    });

    it('ends when its child exits while the reader is busy and somebody else holds the pipe', async () => {
      const stdout = new PassThrough();
      const busy = gate();
      const reader = new LineReader(stdout);
      const reading = read(reader, (line) => (line === 'a' ? busy.opens : undefined));
      stdout.write('a\n');
      await sleep(5);
      stdout.write('b\nno end');
      reader.childExited();
      await sleep(5);
      busy.open();
      expect(await reading).toEqual(['a', 'b', 'no end']);
    });
  });

  it('a reader that leaves gets no more, and the end', async () => {
    const stdout = new PassThrough({ emitClose: false });
    const reader = new LineReader(stdout);
    stdout.write('a\nb\n');
    stdout.write('c\n');
    const seen: string[] = [];
    for await (const lines of reader) {
      seen.push(...lines.map(({ text }) => text));
      break;
    }
    expect(seen).toEqual(['a', 'b']);
    expect(stdout.destroyed).toBe(true);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it('leaves nothing that keeps the event loop alive', async () => {
    const child = await startFixture('leave-by-itself.ts');
    const lines = await readAll(child);
    expect(lines, child.stderr()).toEqual([{ text: 'exit listeners left: 0' }]);
    expect(await child.exited).toEqual({ code: 0, signal: null });
  });
});

/** The lines, and whatever holds their reader up after each batch. */
async function read(
  reader: LineReader,
  hold: (line: string) => Promise<void> | undefined = () => undefined,
): Promise<string[]> {
  const seen: string[] = [];
  for await (const lines of reader) {
    seen.push(...lines.map(({ text }) => text));
    await lines.map(({ text }) => hold(text)).find((held) => held !== undefined);
  }
  return seen;
}

function gate(): { readonly opens: Promise<void>; open(): void } {
  let open = () => {};
  const opens = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opens, open: () => open() };
}
