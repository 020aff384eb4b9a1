import { expect, it } from 'vitest';
import { PendingPermissions } from '../../../../../src/backends/opencode/live/permissions.js';

const request = { id: 'p1', permission: 'bash', patterns: ['ls'], always: ['ls'] };
const other = { ...request, patterns: ['rm'], always: ['rm'] };
const rejected = { id: 'p1', body: { reply: 'reject' } };

it('an id that stands for two requests is allowed nothing [fault 13.9: two permission requests with one id]', () => {
  const permissions = new PendingPermissions();
  expect(permissions.add(request, false)).toBeUndefined();
  expect(permissions.add(other, false)).toMatchObject(rejected);
  expect(permissions.isPending('p1')).toBe(false);
  expect(permissions.answer('p1', { decision: 'allow' })).toEqual([]);
});

it('an id is not used again for another request of the turn, also when the first was settled', () => {
  const permissions = new PendingPermissions();
  permissions.add(request, false);
  permissions.takeDecision('p1');
  expect(permissions.add(other, false)).toMatchObject(rejected);
  permissions.clear();
  expect(permissions.add(other, false)).toBeUndefined();
});

it('the same request, read again, is the same request', () => {
  const permissions = new PendingPermissions();
  permissions.add(request, false);
  expect(permissions.add({ ...request }, false)).toBeUndefined();
  expect(permissions.isPending('p1')).toBe(true);
});
