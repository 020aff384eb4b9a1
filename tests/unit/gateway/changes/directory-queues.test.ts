import { describe, expect, it } from 'vitest';
import { DirectoryQueues } from '../../../../src/gateway/changes/directory-queues.js';
import { maxWaiting } from '../../../../src/gateway/changes/limits.js';

/** Tasks that run until they are ended; `begun` has the names of those that were let in. */
function setUp() {
  const queues = new DirectoryQueues();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (directory: string, name: string, signal?: AbortSignal) =>
    queues.run(
      directory,
      () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.push(() => resolve(name)));
      },
      signal,
    );
  const endAll = async (): Promise<void> => {
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await new Promise(setImmediate);
    }
  };
  return { queues, begun, run, endAll };
}

describe('the queues of directories', () => {
  it('run one task at a time in each, in their order, also behind one that fails (16.4)', async () => {
    const { queues, begun, run, endAll } = setUp();
    const failed = queues.run('/a', () => Promise.reject(new Error('broken')));
    const others = [run('/a', '1'), run('/a', '2'), run('/b', '3')];
    await expect(failed).rejects.toThrow('broken');
    await new Promise(setImmediate);
    expect(begun).toEqual(['3', '1']);
    await endAll();
    expect(await Promise.all(others)).toEqual(['1', '2', '3']);
    expect(begun).toEqual(['3', '1', '2']);
  });

  it('take a bounded number of tasks, one in place of each that leaves (16.4)', async () => {
    const { begun, run, endAll } = setUp();
    const gone = new AbortController();
    const first = run('/a', 'first');
    const leaving = run('/a', 'leaving', gone.signal);
    const more = Array.from({ length: maxWaiting - 1 }, (_, at) => run('/a', `${at}`));
    await expect(run('/a', 'too many')).rejects.toMatchObject({ code: 'overloaded' });
    gone.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'interrupted' });
    await expect(run('/a', 'gone', gone.signal)).rejects.toMatchObject({ code: 'interrupted' });
    more.push(run('/a', 'last'));
    await endAll();
    await Promise.all([first, ...more]);
    expect(begun).toHaveLength(maxWaiting + 1);
    expect(begun).not.toContain('leaving');
    expect(begun.at(-1)).toBe('last');
  });
});
