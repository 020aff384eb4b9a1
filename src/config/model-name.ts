export const modelNameExpected = 'a model’s name does not begin with "-"';

/** It becomes an argument of a CLI, which would take this for an option of its own. */
export function isModelName(name: string): boolean {
  return !name.startsWith('-');
}
