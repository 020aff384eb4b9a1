/**
 * The places of keys that stand more than once in one object of `json`, which is valid JSON: `tool_start.0.blocking`.
 * `JSON.parse` keeps the last of them without a word.
 */
export function duplicateKeys(json: string): readonly string[] {
  const found: string[] = [];
  const open: Level[] = [];
  for (const [token, name] of json.matchAll(tokens)) {
    const level = open.at(-1);
    if (token === '{') open.push({ keys: new Set(), at: '' });
    else if (token === '[') open.push({ keys: undefined, at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof level?.at === 'number') level.at += 1;
    else if (name !== undefined && level?.keys !== undefined) {
      const key: string = JSON.parse(name);
      level.at = key;
      if (level.keys.has(key)) found.push(open.map(({ at }) => at).join('.'));
      level.keys.add(key);
    }
  }
  return found;
}

interface Level {
  /** The keys of an object so far; a list has none. */
  readonly keys: Set<string> | undefined;
  /** The key or the index of what is read now. */
  at: string | number;
}

/** A text, which is a key if a colon follows, or a mark. What is in a text is no mark. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")\s*:|"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g;
