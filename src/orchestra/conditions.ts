import { TurnoutError } from '../core/errors.js';
import type { Condition } from './types.js';
import { fill, type Values } from './variables.js';

/** Reads the condition of a step: `${review.output} contains "changes needed"`. */
export function parseCondition(text: string, place: string): Condition {
  const match = /\s(not contains|contains|==|!=)\s/.exec(text);
  const operator = match?.[1];
  const left = text.slice(0, match?.index ?? 0).trim();
  const right = unquoted(text.slice((match?.index ?? 0) + (match?.[0].length ?? 0)).trim());
  if (operator === undefined || left === '' || right === undefined) {
    throw new TurnoutError(
      'bad_request',
      `${place}: ${JSON.stringify(text.slice(0, 200))} is no condition.`,
      {
        hint: 'Expected: ${step.output} contains "words". Other operators: not contains, ==, !=. A variable such as ${NAME} may stand on the left, too.',
      },
    );
  }
  return { text, left, operator: operator as Condition['operator'], right };
}

/** A text in quotes, or one word without. */
function unquoted(written: string): string | undefined {
  const [, double, single, bare] = /^(?:"([^"]*)"|'([^']*)'|([^\s"']+))$/.exec(written) ?? [];
  return double ?? single ?? bare;
}

/** True if the condition holds with these outputs. Blanks at the ends don't count, nor does upper or lower case for `contains`. */
export function holds({ left, operator, right }: Condition, values: Values): boolean {
  const value = fill(left, values);
  switch (operator) {
    case 'contains':
      return contains(value, right);
    case 'not contains':
      return !contains(value, right);
    case '==':
      return value.trim() === right.trim();
    case '!=':
      return value.trim() !== right.trim();
  }
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
