/**
 * The levels of nesting that are kept of a value that somebody else has written. `JSON.parse` takes any number of levels,
 * while `JSON.stringify` and every comparison run out of stack after a few thousand: a value that came in could not be
 * stored, shown or sent on any more.
 */
export const maxDepth = 200;

const cutMark = `[cut: nested more than ${maxDepth} levels deep]`;

/** Parses JSON of any nesting; what lies deeper than `maxDepth` is replaced by a mark. Throws as `JSON.parse` does. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // One level takes two brackets.
  return text.length <= 2 * maxDepth ? value : cutBelow(value, maxDepth);
}

/** False if something of the value was cut, or it can't be written as JSON: whoever is shown it does not see all of it. */
export function isWhole(value: unknown): boolean {
  try {
    return !(JSON.stringify(value) ?? '').includes(cutMark);
  } catch {
    return false;
  }
}

type Replace = (key: string, value: unknown) => unknown;

/**
 * Prints any value as JSON without ever throwing. In place of a field that JSON can't express there is a text that says so;
 * `parseJson` lets none in, but a backend or a hook of the user's own may.
 */
export function printJson(value: unknown, replace?: Replace): string {
  try {
    return JSON.stringify(value, replace) ?? 'null';
  } catch (error) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return apology(error);
    const fields = Object.entries(value).map(([name, field]) => {
      return `${JSON.stringify(name)}:${printField(field, replace)}`;
    });
    return `{${fields.join(',')}}`;
  }
}

function printField(value: unknown, replace: Replace | undefined): string {
  try {
    return JSON.stringify(value, replace) ?? 'null';
  } catch (error) {
    return apology(error);
  }
}

function apology(error: unknown): string {
  const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return JSON.stringify(`[cut: it can't be written as JSON: ${why}]`);
}

/** Changes the value in place: nobody else has it yet. */
function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return cutMark;
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) {
      if (typeof inner === 'object' && inner !== null) value[index] = cutBelow(inner, levels - 1);
    }
    return value;
  }
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const inner = fields[name];
    // A key `__proto__` that came with the text is a field of its own, and stays one.
    if (typeof inner === 'object' && inner !== null) fields[name] = cutBelow(inner, levels - 1);
  }
  return value;
}
