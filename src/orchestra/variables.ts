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

/** The values of `NAME=value` and the outputs of the steps that have run. */
export interface Values {
  readonly variables: Readonly<Record<string, string>>;
  /** Undefined for a step that was skipped: it has said nothing. */
  outputOf(step: string): string | undefined;
}

/** Puts variables and outputs in, in one go: a value that contains `${…}` itself stays as it is. */
export function fill(text: string, { variables, outputOf }: Values): string {
  return text.replace(reference, (whole, name: string, output: string | undefined) => {
    if (output !== undefined) return outputOf(name) ?? '';
    return Object.hasOwn(variables, name) ? (variables[name] ?? '') : whole;
  });
}

/** Puts the variables in and leaves `${step.output}` as it is: for plans, where no step has run. */
export function fillVariables(text: string, variables: Values['variables']): string {
  return fill(text, { variables, outputOf: (step) => `\${${step}.output}` });
}

/** Throws if a text uses a variable that was not given, or the output of a step that does not come before. */
export function checkReferences(
  text: string,
  known: { readonly variables: Variables; readonly earlier: readonly string[] },
  place: string,
): void {
  for (const [, name = '', output] of text.matchAll(reference)) {
    if (output !== undefined) {
      if (known.earlier.includes(name)) continue;
      throw new TurnoutError(
        'bad_request',
        `${place} uses \${${name}.output}, and no step ${name} comes before.`,
        {
          hint:
            known.earlier.length === 0
              ? 'It is the first step.'
              : `Steps before it: ${[...new Set(known.earlier)].join(', ')}.`,
        },
      );
    }
    if (!variableName.test(name) || known.variables.has(name)) continue;
    throw new TurnoutError('bad_request', `${place} uses \${${name}}, which was not given.`, {
      hint: `Add it to the command: ${name}=value`,
    });
  }
}

/** True if the text uses the output of a step. */
export function usesOutput(text: string): boolean {
  return [...text.matchAll(reference)].some(([, , output]) => output !== undefined);
}
