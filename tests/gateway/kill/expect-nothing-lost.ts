import { expect } from 'vitest';
import type { Outcome } from './run-scenario.js';
import type { KillPoint } from './scenarios.js';

/** Expects that every message was answered exactly once, in order, and nothing is left over. */
export function expectNothingLost(killPoint: KillPoint, outcome: Outcome): void {
  const { log, toldAndRetried, ...facts } = outcome;
  const messages = killPoint.load.channels * killPoint.load.perChannel;
  expect(facts, log).toEqual({
    kills: killPoint.deaths.length,
    messages,
    answeredOnce: messages,
    lost: [],
    doubled: [],
    outOfOrder: [],
    overlaps: [],
    replayedTools: [],
    oddities: [],
    processesLeft: [],
    filesLeft: [],
    undelivered: 0,
  });
  if (killPoint.tells) expect(toldAndRetried).toBeGreaterThanOrEqual(killPoint.deaths.length);
}
