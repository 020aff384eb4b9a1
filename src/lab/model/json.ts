/** JSON from a client is read leniently: a field of a wrong type counts as empty. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asObjects(value: unknown): readonly JsonObject[] {
  return asArray(value).map(asObject);
}

export function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Parses tool arguments, which travel as a JSON string in some APIs; other text stays a string. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function compact<T>(values: readonly (T | undefined)[]): readonly T[] {
  return values.filter((value): value is T => value !== undefined);
}
