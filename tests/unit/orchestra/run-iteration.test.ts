import { describe, expect, it } from 'vitest';
import { type ChatEvent, interruptedEvent } from '../../../src/core/chat-event.js';
import { followIteration } from '../../../src/orchestra/run-iteration.js';
import { Spending } from '../../../src/orchestra/spending.js';

/** An account whose time is up only when it is asked for the third time, as if the timers before had rung too early. */
class LateSpending extends Spending {
  #asked = 0;

  override timeLeftMs(): number {
    this.#asked += 1;
    return this.#asked < 3 ? 1 : 0;
  }
}

describe('one run of an agent', () => {
  it('is ended by the time of its budget, even if a timer rings too early (O6)', async () => {
    async function* untilStopped(signal: AbortSignal): AsyncGenerator<ChatEvent> {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield interruptedEvent;
    }
    const outcome = await followIteration(
      untilStopped,
      { onEvent: () => {}, onSession: () => {} },
      {
        signal: new AbortController().signal,
        spendings: [new LateSpending({ minutes: 1 }, { elapsedMs: 0 })],
        ...{ nonce: undefined, markerGraceMs: undefined, silenceMs: 60_000 },
        ...{ wholeMessages: false, toolsUntold: false },
      },
    );
    expect(outcome.stopped).toEqual({ by: 'budget', limit: 'its time is up (1 min)' });
  });
});
