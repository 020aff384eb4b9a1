import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TurnoutError } from '../../../src/core/errors.js';
import { checkReferences, fill, takeVariables, usesOutput } from '../../../src/orchestra/variables.js';

const none = () => undefined;

describe('variables of a chain (O6)', () => {
  it('are told apart from the other words', () => {
    const { variables, rest } = takeVariables(['a -> b', 'TASK=7', 'NOTE=x=y', 'lower=1', '=x', '-p']);
    expect([...variables]).toEqual([
      ['TASK', '7'],
      ['NOTE', 'x=y'],
    ]);
    expect(rest).toEqual(['a -> b', 'lower=1', '=x', '-p']);
  });

  it('are replaced everywhere in a text; other words in braces stay', () => {
    expect(
      fill('${A} and ${B}, ${A}; ${other} $A ${}', { variables: { A: '1', B: '2' }, outputOf: none }),
    ).toBe('1 and 2, 1; ${other} $A ${}');
  });

  it('that were not given are an error with the place', () => {
    const check = () =>
      checkReferences('do ${TASK}', { variables: new Map(), earlier: [] }, 'steps[2].prompt');
    expect(check).toThrow('steps[2].prompt uses ${TASK}, which was not given.');
  });

  it('may be given as an output of an earlier step, and of no other', () => {
    const known = { variables: new Map(), earlier: ['plan'] };
    expect(() => checkReferences('${plan.output}', known, 'x')).not.toThrow();
    expect(() => checkReferences('${build.output}', known, 'x')).toThrow(TurnoutError);
    expect(fill('[${plan.output}]', { variables: {}, outputOf: () => 'the plan' })).toBe('[the plan]');
    expect(fill('[${plan.output}]', { variables: {}, outputOf: none })).toBe('[]');
    expect([usesOutput('${plan.output}'), usesOutput('${PLAN}')]).toEqual([true, false]);
  });

  it('a value is never looked at again, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (value, output) => {
        const values = { variables: { A: `${value}\${A}\${s.output}` }, outputOf: () => `${output}\${A}` };
        expect(fill('${A}|${s.output}', values)).toBe(`${value}\${A}\${s.output}|${output}\${A}`);
      }),
    );
  });
});
