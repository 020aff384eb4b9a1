import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Terminal } from '../../../../src/cli/output/terminal.js';

function streams(isTTY: boolean) {
  const [out, err] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })];
  return {
    terminal: new Terminal(out, err),
    told: () => String(err.read() ?? ''),
    said: () => String(out.read() ?? ''),
  };
}

describe('the spinner (18.8)', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubEnv('TERM', 'xterm');
    vi.stubEnv('NO_COLOR', '1');
    vi.stubEnv('FORCE_COLOR', '');
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });

  it('comes after 300 ms, and is gone before the first output', async () => {
    const { terminal, told, said } = streams(true);
    terminal.waitFor('claude');
    vi.advanceTimersByTime(299);
    expect(told()).toBe('');
    vi.advanceTimersByTime(1);
    expect(told()).toBe('\r\u001b[K⠋ claude 0 s');
    vi.advanceTimersByTime(1000);
    expect(told()).toMatch(/⠋ claude 1 s$/);
    await terminal.write('hello');
    expect([told(), said()]).toEqual(['\r\u001b[K', 'hello']);
    vi.advanceTimersByTime(1000);
    expect([told(), vi.getTimerCount()]).toEqual(['', 0]);
  });

  it('leaves nothing behind an answer that came at once', async () => {
    const { terminal, told } = streams(true);
    terminal.waitFor('claude');
    await terminal.write('hello');
    vi.advanceTimersByTime(1000);
    expect([told(), vi.getTimerCount()]).toEqual(['', 0]);
  });

  it('gives way to a message', () => {
    const { terminal, told } = streams(true);
    terminal.waitFor('claude');
    vi.advanceTimersByTime(300);
    told();
    terminal.say('careful');
    expect(told()).toBe('\r\u001b[Kturnout: careful\n');
    vi.advanceTimersByTime(1000);
    expect(told()).toBe('');
  });

  it.each([
    ['a pipe', false, 'xterm'],
    ['a dumb terminal', true, 'dumb'],
  ])('is not shown on %s', (_, isTTY, term) => {
    vi.stubEnv('TERM', term);
    const { terminal, told } = streams(isTTY);
    terminal.waitFor('claude');
    vi.advanceTimersByTime(5000);
    terminal.stopWaiting();
    expect(told()).toBe('');
  });

  it('leaves hints without colours plain (NO_COLOR)', () => {
    const { terminal, told } = streams(true);
    terminal.hint('[Bash] {}');
    expect(told()).toBe('[Bash] {}\n');
  });
});
