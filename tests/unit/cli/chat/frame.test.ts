import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Frame } from '../../../../src/cli/chat/terminal/frame.js';
import { plainLine } from '../../../../src/cli/chat/text/styled-line.js';

const row = fc
  .string({ unit: fc.constantFrom('a', 'b', '日', ' '), maxLength: 14 })
  .map((text) => `|${text}|`);
const frame = fc.record({
  print: fc.array(row, { maxLength: 4 }),
  live: fc.array(row, { minLength: 1, maxLength: 5 }),
});

describe('frames (18.1)', () => {
  it('what was printed scrolls away above what is live, whatever came before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 12 }), async (frames) => {
        const terminal = new xterm.Terminal({ cols: 40, rows: 8, scrollback: 1000, allowProposedApi: true });
        const drawn = new Frame(true);
        const printed: string[] = [];
        for (const { print, live } of frames) {
          printed.push(...print);
          const region = {
            rows: live.map((text) => plainLine(text, 'bold')),
            cursor: { row: live.length - 1, column: 1 },
          };
          await write(
            terminal,
            drawn.next(
              print.map((text) => plainLine(text)),
              region,
            ),
          );
          expect(textIn(terminal)).toBe([...printed, ...live].join('\n'));
          expect(terminal.buffer.active.cursorX).toBe(1);
        }
        await write(terminal, drawn.clear());
        expect(textIn(terminal)).toBe(printed.join('\n'));
        terminal.dispose();
      }),
      { numRuns: 40 },
    );
  });

  it('the same picture costs nothing', () => {
    const drawn = new Frame(true);
    const region = { rows: [plainLine('x')], cursor: { row: 0, column: 1 } };
    expect(drawn.next([], region)).not.toBe('');
    expect(drawn.next([], region)).toBe('');
    expect(drawn.next([], { ...region, cursor: { row: 0, column: 0 } })).toBe('\r\r');
  });

  it('a window that becomes narrower leaves no rest of the picture', async () => {
    const terminal = new xterm.Terminal({ cols: 40, rows: 8, scrollback: 1000, allowProposedApi: true });
    const drawn = new Frame(true);
    const region = (text: string) => ({
      rows: [plainLine(text), plainLine('> in')],
      cursor: { row: 1, column: 4 },
    });
    await write(terminal, drawn.next([plainLine('said')], region('x'.repeat(35))));
    terminal.resize(20, 8);
    drawn.resized(20);
    await write(terminal, drawn.next([], region('short')));
    expect(textIn(terminal)).toBe('said\nshort\n> in');
    // And back again, before anything was drawn.
    await write(terminal, drawn.next([], region('y'.repeat(18))));
    for (const columns of [10, 40]) {
      terminal.resize(columns, 8);
      drawn.resized(columns);
    }
    await write(terminal, drawn.next([], region('long')));
    expect(textIn(terminal)).toBe('said\nlong\n> in');
    terminal.dispose();
  });

  it('a printed line that is wider than the window is broken by the terminal alone, and leaves nothing behind', async () => {
    const terminal = new xterm.Terminal({ cols: 20, rows: 8, scrollback: 1000, allowProposedApi: true });
    const drawn = new Frame(true);
    const region = {
      rows: ['x'.repeat(19), 'y'.repeat(19), '> in'].map((text) => plainLine(text)),
      cursor: { row: 2, column: 4 },
    };
    await write(terminal, drawn.next([], region));
    await write(terminal, drawn.next([plainLine('a'.repeat(25)), plainLine('b')], region));
    expect(textIn(terminal)).toBe(
      ['a'.repeat(20), 'aaaaa', 'b', 'x'.repeat(19), 'y'.repeat(19), '> in'].join('\n'),
    );
    expect([0, 1, 2].map((at) => terminal.buffer.active.getLine(at)?.isWrapped)).toEqual([
      ...[false, true, false],
    ]);
    terminal.dispose();
  });
});

type Terminal = InstanceType<typeof xterm.Terminal>;

function write(terminal: Terminal, data: string): Promise<void> {
  return new Promise((resolve) => terminal.write(data, resolve));
}

function textIn({ buffer: { active } }: Terminal): string {
  const rows = Array.from(
    { length: active.length },
    (_, at) => active.getLine(at)?.translateToString(true) ?? '',
  );
  return rows.join('\n').trimEnd();
}
