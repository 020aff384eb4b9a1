import { expect, it } from 'vitest';
import { FewAtATime } from '../../../../../../src/gateway/channels/discord/receive/few-at-a-time.js';

it('runs so many at a time, in order; an urgent one waits for none, and counts (17.6)', async () => {
  const few = new FewAtATime(2);
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const runs = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    few.run(name, async () => {
      running.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    }),
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect(running).toEqual(['a', 'b']);
  few.hurry('d');
  few.hurry('nobody');
  await settle();
  expect(running).toEqual(['a', 'b', 'd']);
  ends.get('a')?.();
  await settle();
  expect(running).toEqual(['a', 'b', 'd']);
  ends.get('b')?.();
  await settle();
  expect(running).toEqual(['a', 'b', 'd', 'c']);
  few.hurryAll();
  await settle();
  for (const end of ends.values()) end();
  await Promise.all(runs);
  await few.run('f', async () => void running.push('f'));
  expect(running).toEqual(['a', 'b', 'd', 'c', 'e', 'f']);
});
