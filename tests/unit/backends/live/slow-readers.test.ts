import { describe, expect, it } from 'vitest';
import { RunningTurn } from '../../../../src/backends/codex/live/turns.js';
import { Turn } from '../../../../src/backends/gemini/live/turns.js';
import type { LiveEvent } from '../../../../src/backends/live/types.js';
import { OpenCodeTurn } from '../../../../src/backends/opencode/live/turns.js';
import type { StepEvent } from '../../../../src/core/chat-event.js';

interface Overrun {
  readonly room: number;
  readonly push: (event: StepEvent) => void;
  readonly isTooMuch: () => boolean;
  readonly finish: () => void;
  readonly events: () => AsyncIterable<LiveEvent>;
}

const failed = { type: 'failed', code: 'unknown', message: 'too slow' } as const;

/** With how many words each of them is full, how it says so, and how it ends. */
const turns: Readonly<Record<string, (word: string) => Overrun>> = {
  codex: (word) => {
    const turn = new RunningTurn();
    return {
      room: Math.ceil((32 * 1024 * 1024) / (200 + word.length)),
      push: (event) => turn.push(event),
      isTooMuch: () => turn.unread,
      finish: () => turn.finish({ type: 'ending', ending: failed }),
      events: () => turn.events(),
    };
  },
  gemini: () => {
    const turn = new Turn();
    return {
      room: 1_000_000,
      push: (event) => turn.push(event),
      isTooMuch: () => turn.overflowed,
      finish: () => turn.end(),
      events: () => turn.events,
    };
  },
  opencode: () => {
    const turn = new OpenCodeTurn('session', 'prompt');
    return {
      room: 1_000_000,
      push: (event) => turn.tell(event),
      isTooMuch: () => turn.overflows,
      finish: () => turn.close(),
      events: () => turn.events(),
    };
  },
};

describe.each(Object.keys(turns))('a turn of %s', (name) => {
  const text = { type: 'text', text: 'word' } as const;
  const make = () => (turns[name] as (word: string) => Overrun)(text.text);

  it('keeps so much for its reader and no more, and its ending all the same', async () => {
    const turn = make();
    for (let count = 0; count < turn.room; count++) turn.push(text);
    expect(turn.isTooMuch()).toBe(false);
    turn.push(text);
    expect(turn.isTooMuch()).toBe(true);
    turn.push(text);
    turn.finish();
    let count = 0;
    let last: LiveEvent | undefined;
    for await (const event of turn.events()) {
      count += 1;
      last = event;
    }
    expect(count).toBe(turn.room + 1);
    expect(last).toMatchObject({ type: 'ending', ending: { type: 'failed' } });
  });

  it('keeps nothing for a reader that has left', async () => {
    const turn = make();
    turn.push(text);
    for await (const _ of turn.events()) break;
    for (let count = 0; count <= turn.room; count++) turn.push(text);
    expect(turn.isTooMuch()).toBe(false);
  });
});
