import { setTimeout as sleep } from 'node:timers/promises';
import type { Fact } from '../scripts/parity/facts.js';
import type { ChatEvent } from '../src/core/chat-event.js';

/** The first turns load what the CLI loads lazily. */
export const warmUp = 3;

/** A CLI's work after its result must not slow the next contender's turn. */
const restMs = 20;

/** How long it takes, after a rest. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  await sleep(restMs);
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** Reads a turn to its end, which has to be a good one. */
export async function finish(events: AsyncIterable<ChatEvent>): Promise<void> {
  let last: ChatEvent | undefined;
  for await (const event of events) last = event;
  if (last?.type !== 'complete') throw new Error(`The turn ended with ${JSON.stringify(last)}`);
}

/** The same for an SDK's: a turn that fails is not a fast one. */
export function mustNotFail(fact: Fact): void {
  if (fact.type === 'failure') throw new Error(`The SDK's turn failed: ${fact.message}`);
}

/** Nobody always comes first, nor always after the same one. */
export function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
