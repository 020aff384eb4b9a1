import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endingSignals } from '../../../../src/cli/command/ending-signals.js';
import { untilStopped } from '../../../../src/cli/gateway/until-stopped.js';
import type { Gateway } from '../../../../src/gateway/gateway.js';

const before = new Map(endingSignals.map((name) => [name, process.listeners(name)]));

function listenersOf(name: (typeof endingSignals)[number]) {
  return process.listeners(name).filter((listener) => !before.get(name)?.includes(listener));
}

/** As if the program had got the signal: the test's own process has listeners, too. */
function signal(name: (typeof endingSignals)[number]): void {
  for (const listener of listenersOf(name)) listener(name);
}

/** A gateway whose turn does not end, whatever is done about it. */
async function setUpStuck() {
  const stops: unknown[] = [];
  const stop = (reason: unknown) => {
    stops.push(reason);
    return new Promise<void>(() => undefined);
  };
  const gateway: Partial<Gateway> = { turnsRunning: [{ channel: 'main', asks: true }], stop };
  void untilStopped(Promise.resolve(gateway as Gateway), 30_000);
  await vi.advanceTimersByTimeAsync(0);
  return stops;
}

describe('a gateway that does not stop', () => {
  const exit = vi.fn();
  const said: unknown[] = [];

  beforeEach(() => {
    vi.useFakeTimers();
    exit.mockReset();
    vi.spyOn(process, 'exit').mockImplementation(exit as never);
    said.length = 0;
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(text) > 0);
  });
  afterEach(() => {
    for (const name of endingSignals) for (const listener of listenersOf(name)) process.off(name, listener);
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('is ended five seconds after the second signal (16)', async () => {
    const stops = await setUpStuck();
    signal('SIGINT');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(exit).not.toHaveBeenCalled();
    signal('SIGINT');
    await vi.advanceTimersByTimeAsync(4999);
    expect(stops).toEqual(['SIGINT', 'SIGINT']);
    expect(exit).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(exit).toHaveBeenCalledExactlyOnceWith(130);
  });

  it('says where turns run, and which of them wait for a permission (18.8)', async () => {
    const turnsRunning = [
      { channel: 'home', asks: false },
      { channel: 'main', asks: true },
    ];
    const gateway: Partial<Gateway> = { turnsRunning, stop: async () => undefined };
    const stopped = untilStopped(Promise.resolve(gateway as Gateway), 30_000);
    await vi.advanceTimersByTimeAsync(0);
    signal('SIGINT');
    await stopped;
    expect(said.join('')).toContain('2 turns may end first (home, main), for at most 30 s');
    expect(said.join('')).toContain('A permission is waited for in main: `turnout permissions`.');
  });

  it('is ended at once by the third; one that follows at once is the same (16)', async () => {
    await setUpStuck();
    signal('SIGTERM');
    await vi.advanceTimersByTimeAsync(499);
    signal('SIGINT');
    await vi.advanceTimersByTimeAsync(499);
    signal('SIGINT');
    // The log of a service, which nobody has pressed Ctrl-C for, holds nothing but objects.
    expect(said).toEqual(['turnout: ending 1 turn now (main).\n']);
    expect(exit).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(500);
    signal('SIGINT');
    expect(exit).toHaveBeenCalledExactlyOnceWith(130);
  });
});
