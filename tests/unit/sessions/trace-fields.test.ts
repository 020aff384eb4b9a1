import { describe, expect, it } from 'vitest';
import { redactorFor } from '../../../src/config/redact.js';
import { longestTraced, traceFields } from '../../../src/sessions/trace-fields.js';

const redact = redactorFor({ MY_TOKEN: 'swordfish-1' });
const line = (text: string, events: readonly object[] = []) =>
  traceFields({ type: 'line', direction: 'in', line: text, events: events as never, process: 3 }, redact);

describe('an entry of a trace in a log (S9)', () => {
  it('is the line and its events', () => {
    const events = [{ type: 'text', text: 'hi', n: 1, none: null, list: ['a', 2] }];
    expect(line('{"a":1}', events)).toEqual({
      type: 'line',
      process: 3,
      direction: 'in',
      line: '{"a":1}',
      events,
    });
  });

  it('is bounded, and says how much was left out', () => {
    const fields = line('x'.repeat(1_000_000), [
      { type: 'tool_start', id: '1', name: 'Write', input: { a: 'y'.repeat(500_000), b: 'z'.repeat(1000) } },
      { type: 'text', text: 'later' },
    ]);
    expect(fields['line']).toHaveLength(longestTraced);
    expect(fields['cut']).toBe(1_000_000 - longestTraced);
    expect(fields['cutFromEvents']).toBeGreaterThan(480_000);
    expect(JSON.stringify(fields).length).toBeLessThan(3 * longestTraced);
  });

  it('is bounded whatever the shape of an event', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`field-${n}`, n]));
    for (const input of [Array(100_000).fill(1), Array(100_000).fill({}), many, Array(100_000).fill('')])
      expect(JSON.stringify(line('x', [{ type: 'tool_start', input }])).length).toBeLessThan(
        4 * longestTraced,
      );
  });

  it('has no secrets: by value, by name, in variables and headers', () => {
    const fields = line('the token is swordfish-1, "password":"swordfish"', [
      {
        type: 'tool_start',
        input: { api_key: 'swordfish', env: { A: 'swordfish' }, command: 'echo swordfish-1' },
      },
    ]);
    expect(JSON.stringify(fields)).not.toContain('swordfish');
  });

  it('has no part of a secret at the cut', () => {
    for (let back = 1; back < 14; back += 1)
      expect(JSON.stringify(line(`${'x'.repeat(longestTraced - back)} swordfish-1`))).not.toContain('sword');
  });

  it('is cut before it is searched for secrets, the command too', () => {
    let searched = 0;
    const counting = (text: string) => {
      searched += text.length;
      return redact(text);
    };
    const spawn = {
      type: 'spawn',
      command: '/bin/agent',
      cwd: '/w',
      args: ['--token', 'abc', `p swordfish-1 ${'x'.repeat(100_000)}`, 'y'.repeat(100_000)],
      env: { LONG: 'z'.repeat(100_000), MORE: 'z'.repeat(100_000), A_KEY: 'x'.repeat(9) },
    } as const;
    const fields = traceFields(spawn, counting);
    expect(searched).toBeLessThan(3 * longestTraced);
    expect(JSON.stringify(fields).length).toBeLessThan(3 * longestTraced);
    expect(JSON.stringify(fields)).not.toContain('swordfish');
    expect(fields).toMatchObject({
      args: ['--token', '[redacted]', expect.any(String)],
      cut: expect.any(Number),
    });
  });

  it('is the command without secrets, and the exit without the stderr that was traced before', () => {
    const spawn = {
      command: '/bin/agent',
      args: ['--token', 'abc', 'p'],
      cwd: '/w',
      env: { A_KEY: 'x', B: 'c' },
    };
    expect(traceFields({ type: 'spawn', ...spawn }, redact)).toMatchObject({
      args: ['--token', '[redacted]', 'p'],
      env: { A_KEY: '[redacted]', B: 'c' },
    });
    const exit = { type: 'exit', code: 1, signal: null, stderr: 'words', events: [] } as const;
    expect(traceFields(exit, redact)).toEqual({
      type: 'exit',
      process: undefined,
      code: 1,
      signal: null,
      events: [],
    });
  });
});
