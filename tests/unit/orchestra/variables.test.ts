import { describe, expect, it } from 'vitest';
import { stepsUsed, substitute, substituteOutputs, takeVariables } from '../../../src/orchestra/variables.js';

describe('variables of a chain', () => {
  it('are the arguments of the form NAME=value', () => {
    const { variables, rest } = takeVariables([
      'build',
      'TASK=7',
      '_A1=',
      'X=a=b',
      'lower=1',
      '1X=2',
      'a -> b',
    ]);
    expect(Object.fromEntries(variables)).toEqual({ TASK: '7', _A1: '', X: 'a=b' });
    expect(rest).toEqual(['build', 'lower=1', '1X=2', 'a -> b']);
  });

  it('replace ${NAME} once: a value that looks like a reference stays as it is', () => {
    const variables = new Map([
      ['A', '${B}'],
      ['B', '$&'],
    ]);
    expect(substitute('${A} ${B} $A ${a} ${x.output}', variables, 'p')).toBe('${B} $& $A ${a} ${x.output}');
  });

  it('that were not given are named, with the place that uses them', () => {
    expect(() => substitute('do ${TASK_ID}', new Map(), 'The prompt of step 2')).toThrow(
      'The prompt of step 2 uses ${TASK_ID}, which was not given.',
    );
  });

  it('stand beside the outputs of earlier steps', () => {
    expect(stepsUsed('${plan.output} ${X} ${r-2.output}')).toEqual(['plan', 'r-2']);
    const outputs = new Map([['plan', 'the ${X} plan']]);
    expect(substituteOutputs('${plan.output}|${none.output}|${X}', (step) => outputs.get(step))).toBe(
      'the ${X} plan||${X}',
    );
  });
});
