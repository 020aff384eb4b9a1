import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpFaults } from './fault-stage.js';
import { runRestFaults } from './rest-faults.js';
import { runSocketFaults } from './socket-faults.js';

/** Those that differ most; `npm run test:kill` has all of them, and docs/discord-faults.md what came of it. */
it('faults of Discord lose no question and no answer, and make none twice (17.6)', async () => {
  const stage = await setUpFaults({ restTimeoutMs: 500 });
  await stage.start();
  await until(() => stage.discord.gateway.connected, 'the connection');
  const outcomes = {
    ...(await runRestFaults(stage, [
      'a rate limit (429)',
      '500 after it is stored',
      'no answer, and it is stored',
      'its file is too large (413)',
    ])),
    ...(await runSocketFaults(stage, ['it is cut, and resumed', 'the session is invalid (op 9)'])),
  };
  for (const [name, outcome] of Object.entries(outcomes)) expect(outcome, name).toBe('once');
  expect(Object.keys(outcomes)).toHaveLength(6);
  expect(stage.discord.violations).toEqual([]);
});
