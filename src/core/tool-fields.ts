/* Reads the fields of a tool's input, in which a model may have put anything. */

export type Fields = Readonly<Record<string, unknown>>;

export const maxText = 512 * 1024;
export const maxPath = 4096;

export function pathOf(fields: Fields, names: readonly string[]): string | undefined {
  const path = firstText(fields, names);
  return path === undefined || path === '' ? undefined : cut(path, maxPath);
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(fieldsOf(value));
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function firstText(fields: Fields, names: readonly string[]): string | undefined {
  return names.map((name) => fields[name]).find((value) => typeof value === 'string');
}

/** Whoever is shown the text must see that it is not all. */
export function cut(text: string, max = maxText): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max)}\n… (${text.length - max} more characters)`;
}
