import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitedJson, maxArchivedBytes } from '../../../src/store/limited-json.js';
import { anyCharacter } from '../../property/arbitraries.js';

describe('archived JSON', () => {
  it('is never over its limit, always JSON, and the same when it is short', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string({ unit: anyCharacter }),
        fc.nat({ max: 80_000 }),
        (value, unit, times) => {
          const event = { type: 'tool_end', value, output: unit.repeat(times).slice(0, 200_000) };
          const json = limitedJson(event);
          expect(Buffer.byteLength(json)).toBeLessThanOrEqual(maxArchivedBytes);
          expect(JSON.parse(json)).toMatchObject({ type: 'tool_end' });
          const whole = JSON.stringify(event);
          if (Buffer.byteLength(whole) <= maxArchivedBytes) expect(json).toBe(whole);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('says how much was cut', () => {
    const cut = JSON.parse(limitedJson({ type: 'text', text: 'x'.repeat(100_000) }));
    expect(cut.text).toMatch(/^x{16384}… \[83616 characters cut\]$/);
  });

  it('is shortened as a whole when it has too many pieces', () => {
    const json = limitedJson({ type: 'tool_start', input: Array.from({ length: 50_000 }, (_, i) => i) });
    expect(JSON.parse(json)).toMatchObject({
      type: 'tool_start',
      cut: expect.stringContaining('characters cut'),
    });
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(maxArchivedBytes);
  });

  it('takes what has no JSON', () => {
    expect(limitedJson(undefined)).toBe('null');
  });
});
