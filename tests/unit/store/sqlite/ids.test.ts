import { describe, expect, it } from 'vitest';
import { createIds } from '../../../../src/store/sqlite/ids.js';

describe('ids', () => {
  it('sort by time, also within a millisecond and when the clock steps back', () => {
    const clock = [5, 5, 5, 9, 3, 9, 10, 1];
    const newId = createIds(() => clock.shift() ?? 0);
    const ids = Array.from({ length: 100 }, () => newId('evt'));
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(100);
    expect(ids[0]).toMatch(/^evt_[0-9a-z]{25}$/);
  });

  it('are never the same in two processes', () => {
    const [one, other] = [createIds(() => 1), createIds(() => 1)];
    expect(one('evt')).not.toBe(other('evt'));
  });

  it('go on when a millisecond has too many', () => {
    const newId = createIds(() => 1);
    const ids = Array.from({ length: 40_000 }, () => newId('x').slice(0, 15));
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });
});
