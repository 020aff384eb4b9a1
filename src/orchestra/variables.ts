import { TurnoutError } from '../core/errors.js';

/** The values of `NAME=value` arguments. */
export type Variables = ReadonlyMap<string, string>;

const variableName = /^[A-Z_][A-Z0-9_]*$/;
/** `${NAME}` of the command line, or `${step.output}` of an earlier step. */
const reference = /\$\{([A-Za-z0-9_-]+)(\.output)?\}/g;

/** Splits arguments into variables and the rest: `TASK=7` is a variable, `a -> b` is not. */
export function takeVariables(args: readonly string[]): { variables: Variables; rest: readonly string[] } {
  const variables = new Map<string, string>();
  const rest: string[] = [];
  for (const arg of args) {
    const at = arg.indexOf('=');
    const name = arg.slice(0, Math.max(at, 0));
    if (at > 0 && variableName.test(name)) variables.set(name, arg.slice(at + 1));
    else rest.push(arg);
  }
  return { variables, rest };
}

/**
 * Replaces `${NAME}`; `${step.output}` stays for the time when that step has run. A value is never looked at again: one that
 * contains `${…}` stays as it is.
 */
export function substitute(text: string, variables: Variables, place: string): string {
  return text.replace(reference, (whole, name: string, output: string | undefined) => {
    if (output !== undefined || !variableName.test(name)) return whole;
    const value = variables.get(name);
    if (value !== undefined) return value;
    throw new TurnoutError('bad_request', `${place} uses \${${name}}, which was not given.`, {
      hint: `Add it to the command: ${name}=value`,
    });
  });
}

/** The steps whose output a text uses. */
export function stepsUsed(text: string): readonly string[] {
  return [...text.matchAll(reference)].flatMap(([, name, output]) =>
    output === undefined || name === undefined ? [] : [name],
  );
}

/** Puts the outputs of earlier steps in. A step that was skipped has none: the text is empty there. */
export function substituteOutputs(text: string, outputOf: (step: string) => string | undefined): string {
  return text.replace(reference, (whole, name: string, output: string | undefined) =>
    output === undefined ? whole : (outputOf(name) ?? ''),
  );
}
