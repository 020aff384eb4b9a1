/* Reads the fields of a tool's input, in which a model may have put anything. */

export type Fields = Readonly<Record<string, unknown>>;

export function pathOf(fields: Fields, names: readonly string[]): string | undefined {
  const path = firstText(fields, names);
  return path === undefined || path === '' ? undefined : path;
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
