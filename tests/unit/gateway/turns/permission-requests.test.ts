import { expect, it } from 'vitest';
import { noLog } from '../../../../src/config/log.js';
import type { AgentTurn } from '../../../../src/gateway/agents/agents.js';
import { PermissionRequests } from '../../../../src/gateway/turns/permission-requests.js';
import type { Lease, Store } from '../../../../src/store/store.js';

it('an id that is pending in a turn is not asked about again: both are denied [fault 13.9: two permission requests with one id]', async () => {
  const stored: unknown[] = [];
  const answers: unknown[] = [];
  const store = {
    askPermission: async (_: Lease, request: object) => {
      stored.push(request);
      return { ...request, state: 'pending' };
    },
  } as unknown as Store;
  const agent = {
    answerPermission: async (...answer: unknown[]) => answers.push(answer),
  } as unknown as AgentTurn;
  const permissions = new PermissionRequests({
    maxPerTurn: 10,
    store,
    log: noLog,
    now: () => 0,
    watch: () => undefined,
    post: async () => undefined,
  });
  const ask = (turnId: string, command: string) => {
    const request = { type: 'permission_request', id: 'r1', tool: 'Bash', input: { command } } as const;
    return permissions.ask({ turnId } as Lease, 'e1', { ...request, options: ['allow', 'deny'] }, agent);
  };
  await ask('t1', 'ls');
  await ask('t1', 'rm');
  expect(stored).toMatchObject([{ input: { command: 'ls' } }]);
  expect(answers).toMatchObject([['r1', 'deny', expect.anything()]]);
  await ask('t2', 'cat');
  expect(stored).toHaveLength(2);
});
