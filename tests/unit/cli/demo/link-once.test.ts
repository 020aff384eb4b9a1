import { expect, it } from 'vitest';
import { linkOnce, ownerOf } from '../../../../src/cli/demo/link-once.js';

const target = 'http://127.0.0.1:8420/#token=secret';

it('a link leads to its target once, and says nothing of it itself (16.6)', async () => {
  const { url: link, over } = await linkOnce(target);
  expect(link).not.toContain('secret');
  const visit = (url: string) => fetch(url, { redirect: 'manual' });
  expect((await visit(`${link}x`)).status).toBe(404);
  const first = await visit(link);
  expect([first.status, first.headers.get('location')]).toEqual([302, target]);
  await expect(visit(link)).rejects.toThrow('fetch failed');
  await over;
});

it('of two that come at once, one is led on (16.6)', async () => {
  const { url: link } = await linkOnce(target);
  const visits = Array.from({ length: 5 }, () =>
    fetch(link, { redirect: 'manual' }).then(({ status }) => status),
  );
  const seen = await Promise.allSettled(visits);
  expect(seen.filter((one) => one.status === 'fulfilled' && one.value === 302)).toHaveLength(1);
});

it('the owner of a connection is read from the system’s table (16.6)', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:20E4 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1
   1: 0100007F:9C40 0100007F:20E4 01 00000000:00000000 00:00000000 00000000   501        0 2 1
`;
  expect(ownerOf(table, 0x9c40)).toBe(501);
  expect(ownerOf(table, 0x20e4)).toBe(1000);
  expect(ownerOf(table, 1)).toBeUndefined();
});
