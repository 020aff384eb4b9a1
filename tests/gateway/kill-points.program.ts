import { describe, expect, it } from 'vitest';
import { journalPoints } from '../../src/gateway/journal-points.js';
import { expectNothingLost } from './kill/expect-nothing-lost.js';
import { runScenario } from './kill/run-scenario.js';
import { killPoint } from './kill/scenarios.js';

/** One point and a small load; `npm run test:kill` has all of them. */
describe.runIf(process.platform === 'linux')('a gateway that is killed', () => {
  const small = { channels: 10, perChannel: 6, kills: 2 };

  it.each(['tool_started'] as const)(
    'at %s: every message is answered once, in order, and nothing is left',
    async (point) => {
      const chosen = killPoint(point, small);
      expectNothingLost(chosen, await runScenario(chosen));
    },
  );

  it('has a scenario for each of its points', () => {
    for (const point of journalPoints) {
      const { deaths } = killPoint(point);
      expect(deaths.filter((death) => death.point === point).length).toBeGreaterThan(0);
    }
  });
});
