import { describe, expect, it } from 'vitest';
import { holds, parseCondition } from '../../../src/orchestra/conditions.js';
import { cpuMs } from '../../machine-speed.js';

const values = { variables: { MODE: 'fast' }, outputOf: () => 'Some Changes needed here' };

describe('the condition of a step (O6)', () => {
  it.each([
    ['${review.output} contains "changes needed"', true],
    ["${review.output} not contains 'nothing'", true],
    ['${review.output} contains nothing', false],
    ['${MODE} == fast', true],
    ['${MODE} != "fast"', false],
    ['  ${MODE}  ==  fast  ', true],
  ])('%s', (text, expected) => {
    expect(holds(parseCondition(text, 'when'), values)).toBe(expected);
  });

  it.each([
    '',
    'x',
    '${a.output}',
    '${a.output} contains',
    'contains "x"',
    '${a.output} equals x',
    '${a.output} contains two words',
  ])('%j is none, by its place', (text) => {
    expect(() => parseCondition(text, 'steps[2].when')).toThrow('steps[2].when: ');
  });

  it('is read in no time, whatever stands in it', () => {
    const began = cpuMs();
    expect(() => parseCondition(`a${' '.repeat(1_000_000)}b`, 'when')).toThrow('is no condition');
    expect(cpuMs() - began).toBeLessThan(2000);
  });
});
