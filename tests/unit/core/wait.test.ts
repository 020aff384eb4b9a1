import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { abortable, late, longestTimerMs, within } from '../../../src/core/wait.js';

describe('within', () => {
  it('settles like the first promise to settle, and is late after its time', async () => {
    expect(await within(1000, sleep(5, 'slow'), sleep(1, 'fast'))).toBe('fast');
    await expect(within(1000, Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await within(5, new Promise(() => {}))).toBe(late);
  });

  it('waits for ever with 0, and does not fire at once with more than a timer takes', async () => {
    expect(await within(0, sleep(20, 'done'))).toBe('done');
    expect(await within(longestTimerMs * 2, sleep(20, 'done'))).toBe('done');
  });
});

describe('abortable', () => {
  it('settles like the promise, or rejects with the reason of the signal', async () => {
    const stop = new AbortController();
    const waiting = abortable(new Promise(() => {}), stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(abortable(sleep(1), stop.signal)).rejects.toThrow('stopped');
    expect(await abortable(sleep(1, 'done'), new AbortController().signal)).toBe('done');
    expect(await abortable(sleep(1, 'done'), undefined)).toBe('done');
  });

  it('what it does not wait for may fail: nobody is left to hear of it, and the program goes on', async () => {
    const unheard: unknown[] = [];
    const onRejection = (reason: unknown) => unheard.push(reason);
    const before = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', onRejection);
    try {
      await expect(
        abortable(Promise.reject(new Error('a failure')), AbortSignal.abort(new Error('stopped'))),
      ).rejects.toThrow('stopped');
      await sleep(5);
      expect(unheard).toEqual([]);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const listener of before) process.on('unhandledRejection', listener);
    }
  });
});
