import { expect } from 'vitest';
import type { FaultOutcome } from './run-fault.js';

/** Expects that every message was answered exactly once and in order, and nothing is left over or was said untruly. */
export function expectNothingWrong(outcome: FaultOutcome): void {
  const { log, messages, ...facts } = outcome;
  expect(facts, log).toMatchObject({
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
    untrueReadiness: [],
    secondOwners: [],
    blocked: [],
  });
}
