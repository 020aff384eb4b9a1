export type JsonObject = { readonly [key: string]: unknown };

/** A JSON object that the CLI printed, or (`value` undefined) a line that is none. */
export interface JsonItem {
  readonly value?: JsonObject;
  readonly raw: string;
}

const maxDocumentChars = 128 * 1024 * 1024;

/**
 * Finds the JSON objects in a CLI's output, whichever of the three forms it has: an object on each line, one
 * array of them, or one document printed over many lines, with noise before it.
 */
export class JsonLines {
  /** Lines that may be parts of one document printed over many lines. */
  #document: string[] = [];
  #documentChars = 0;

  push(line: string): readonly JsonItem[] {
    const parsed = parse(line);
    if (parsed !== undefined) {
      const items = objectsIn(parsed, line);
      // A line of a pretty-printed document can be JSON by chance (`{}`, `[]`): events have a type.
      if (this.#document.length === 0 || items.some((item) => typeof item.value?.['type'] === 'string')) {
        return this.#document.length === 0 ? items : [...this.#giveUp(), ...items];
      }
    }
    if (this.#document.length === 0 && !opensDocument(line)) {
      return line.trim() === '' ? [] : [{ raw: line }];
    }
    this.#document.push(line);
    this.#documentChars += line.length;
    return this.#documentChars > maxDocumentChars ? this.#giveUp() : [];
  }

  end(): readonly JsonItem[] {
    const lines = this.#document;
    for (const [from, to] of documentSpans(lines)) {
      const raw = lines.slice(from, to).join('\n');
      const parsed = parse(raw);
      if (parsed === undefined) continue;
      this.#document = [];
      const noise = [...lines.slice(0, from), ...lines.slice(to)].filter((line) => line.trim() !== '');
      return [...objectsIn(parsed, raw), ...noise.map((line) => ({ raw: line }))];
    }
    return this.#giveUp();
  }

  #giveUp(): readonly JsonItem[] {
    const lines = this.#document.filter((line) => line.trim() !== '');
    this.#document = [];
    this.#documentChars = 0;
    return lines.map((raw) => ({ raw }));
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  if (!opensDocument(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function opensDocument(line: string): boolean {
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === 0x7b || code === 0x5b) return true;
    if (code !== 0x20 && code !== 0x09 && code !== 0x0d) return false;
  }
  return false;
}

function objectsIn(parsed: unknown, raw: string): readonly JsonItem[] {
  if (isObject(parsed)) return [{ value: parsed, raw }];
  if (!Array.isArray(parsed)) return [{ raw }];
  return parsed.map((value) =>
    isObject(value) ? { value, raw: JSON.stringify(value) } : { raw: JSON.stringify(value) },
  );
}

/** Where a document may stand among lines of noise: few guesses, so that garbage stays cheap. */
function documentSpans(lines: readonly string[]): readonly (readonly [from: number, to: number])[] {
  if (lines.length === 0) return [];
  const opening = lines.findIndex((line) => /^[{[]\s*$/.test(line));
  const closing = lines.findLastIndex((line) => /^[}\]]\s*$/.test(line)) + 1;
  const starts = opening > 0 ? [0, opening] : [0];
  const ends = closing > 0 && closing < lines.length ? [lines.length, closing] : [lines.length];
  return starts.flatMap((from) => ends.filter((to) => to > from).map((to) => [from, to] as const));
}
