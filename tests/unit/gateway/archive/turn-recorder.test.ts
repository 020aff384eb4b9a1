import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../../../src/core/chat-event.js';
import { type RecordPlace, readEvents, TurnRecorder } from '../../../../src/gateway/archive/turn-recorder.js';

const event: fc.Arbitrary<ChatEvent> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: fc.string({ maxLength: 12 }) }),
  fc.record({
    type: fc.constant('text' as const),
    text: fc.constantFrom('x'.repeat(9_995), '😀'.repeat(7000)),
  }),
  fc.record({ type: fc.constant('thinking' as const), text: fc.string({ maxLength: 12 }) }),
  fc.constant({ type: 'tool_start' as const, id: 't', name: 'Read', input: {} }),
  fc.constant({ type: 'tool_end' as const, id: 't', output: 'done', isError: false }),
);

/** All that was said and done, whatever pieces the text came in. */
function joined(events: readonly ChatEvent[]): readonly string[] {
  const whole: string[] = [];
  let last: string | undefined;
  for (const one of events) {
    const isText = one.type === 'text' || one.type === 'thinking';
    if (isText && last === one.type) whole.push(`${whole.pop()}${one.text}`);
    else whole.push(isText ? `${one.type}: ${one.text}` : one.type);
    last = one.type;
  }
  return whole;
}

describe('the record of a turn (16.1)', () => {
  it('read in any steps, live and from the archive, is the same as read at once', () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 30 }),
        fc.infiniteStream(fc.nat({ max: 3 })),
        (events, steps) => {
          const record = new TurnRecorder();
          let place: RecordPlace = { index: 0, offset: 0 };
          const seen: ChatEvent[] = [];
          const places: { place: RecordPlace; count: number }[] = [{ place, count: 0 }];
          for (const one of events) {
            record.accept(one);
            if (steps.next().value !== 0) continue;
            for (const { event: found, next } of record.readFrom(place, 50)) {
              seen.push(found);
              place = next;
            }
            places.push({ place, count: seen.length });
          }
          const archived = record.events;
          for (const { place: from, count } of places) {
            const rest = readEvents(archived, from, 10_000).map(({ event: found }) => found);
            expect(joined([...seen.slice(0, count), ...rest])).toEqual(joined(archived));
          }
          const text = (list: readonly ChatEvent[]) =>
            list.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('');
          expect(text(archived)).toBe(text(events));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is bounded, says so once, and keeps the text behind the last tool with the end', () => {
    const record = new TurnRecorder();
    for (let count = 0; count < 15_000; count++) {
      record.accept({ type: 'tool_start', id: `${count}`, name: 'Read', input: {} });
      record.accept({ type: 'text', text: `step ${count}` });
    }
    record.accept({ type: 'tool_start', id: 'last', name: 'Read', input: {} });
    for (const text of ['the ', 'answer']) record.accept({ type: 'text', text });
    expect(record.hasEnded).toBe(false);
    record.accept({ type: 'complete', text: 'the answer', sessionId: 's', stopReason: 'end_turn' });
    expect(record.hasEnded).toBe(true);
    expect(record.events).toHaveLength(20_003);
    expect(record.events.slice(-3).map((one) => ('text' in one ? one.text : one.type))).toEqual([
      ...['notice', 'the answer', 'the answer'],
    ]);
  });

  it('is bounded by what tools are given and give, too', () => {
    const record = new TurnRecorder();
    for (let count = 0; count < 3000; count++) {
      record.accept({ type: 'tool_start', id: `${count}`, name: 'Read', input: { path: 'x'.repeat(4000) } });
      record.accept({ type: 'tool_end', id: `${count}`, output: 'x'.repeat(16_000), isError: false });
    }
    expect(JSON.stringify(record.events).length).toBeLessThan(18 * 1024 ** 2);
    expect(record.events.at(-1)).toMatchObject({ type: 'notice' });
  });

  it('keeps a long answer in pieces that the archive takes whole, up to 8 million characters', () => {
    const record = new TurnRecorder();
    for (let count = 0; count < 900; count++) record.accept({ type: 'text', text: '\u0001'.repeat(10_000) });
    const texts = record.events.filter(({ type }) => type === 'text');
    expect(texts.every((one) => Buffer.byteLength(JSON.stringify(one)) <= 64 * 1024)).toBe(true);
    // 8 Mi characters, and the beginning of what may be the answer.
    expect(texts).toHaveLength(839);
    expect(record.events.at(-1)).toMatchObject({ type: 'notice' });
  });

  it('shortens what tools are given and give', () => {
    const record = new TurnRecorder();
    record.accept({ type: 'tool_start', id: 'a', name: 'Write', input: { content: 'x'.repeat(1_000_000) } });
    record.accept({ type: 'tool_end', id: 'a', output: 'y'.repeat(1_000_000), isError: false });
    expect(JSON.stringify(record.events).length).toBeLessThan(70_000);
  });
});
