import { expect, it } from 'vitest';
import { RateLimit } from '../../../../../src/gateway/channels/http/rate-limit.js';

it('takes so many at once, then as many a minute, from each address (16.5)', () => {
  let now = 0;
  const limit = new RateLimit(20, () => now);
  const take = (address: string) => limit.take(address);
  for (let n = 0; n < 20; n += 1) expect(take('10.0.0.1')).toBe(0);
  expect(take('10.0.0.1')).toBe(3);
  expect(take('10.0.0.2')).toBe(0);
  now += 2000;
  expect(take('10.0.0.1')).toBe(1);
  now += 1000;
  expect(take('10.0.0.1')).toBe(0);
  expect(take('10.0.0.1')).toBe(3);
  now += 3_600_000;
  for (let n = 0; n < 20; n += 1) expect(take('10.0.0.1')).toBe(0);
  expect(take('10.0.0.1')).toBe(3);
});

it('counts a network of IPv6 as one address, and IPv4 in IPv6 as itself (16.5)', () => {
  const limit = new RateLimit(1, () => 0);
  expect(limit.take('2001:db8:1:2::1')).toBe(0);
  for (const same of ['2001:db8:1:2::2', '2001:db8:1:2:ffff:0:0:9', '2001:db8:1:2::%eth0']) {
    expect(limit.take(same)).toBeGreaterThan(0);
  }
  expect(limit.take('2001:db8:1:3::1')).toBe(0);
  expect(limit.take('::1')).toBe(0);
  expect(limit.take('::ffff:10.0.0.1')).toBe(0);
  expect(limit.take('10.0.0.1')).toBeGreaterThan(0);
  expect(limit.take('::ffff:10.0.0.2')).toBe(0);
});

it('remembers a bounded number of addresses, the latest ones (16.5)', () => {
  const limit = new RateLimit(1, () => 0);
  limit.take('a');
  for (let n = 0; n < 30_000; n += 1) limit.take(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
  expect(limit.addresses).toBe(10_000);
  expect(limit.take('10.0.117.47')).toBeGreaterThan(0);
  expect(limit.take('a')).toBe(0);
});
