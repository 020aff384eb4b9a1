import { parseJson, printJson } from '../../core/json.js';
import { isObject, type JsonObject } from '../output/json.js';

/** A JSON object that the CLI printed; `value` is `undefined` for a line that is none. */
export interface JsonItem {
  readonly value?: JsonObject;
  readonly raw: string;
}

const maxDocumentChars = 128 * 1024 * 1024;

/** The most attempts to parse the held lines as a document, so that garbage stays cheap. */
const maxFailures = 8;

const opening = /^[{[]\s*$/;
const closing = /^[}\]]\s*$/;

/**
 * Finds the JSON objects in a CLI's output, whichever of the three forms it has: an object on each line, one
 * array of them, or one document printed over many lines, with noise before it.
 */
export class JsonLines {
  /** Lines that may be parts of one document over many lines. */
  #document: string[] = [];
  #documentChars = 0;
  #failures = 0;

  /** True while lines are held that may be parts of one document. */
  get isMidway(): boolean {
    return this.#document.length > 0;
  }

  push(line: string): readonly JsonItem[] {
    const parsed = parse(line);
    if (parsed !== undefined) {
      const items = objectsIn(parsed, line);
      // A line inside a pretty-printed document can be JSON by chance (`{}`, `[]`), but it is indented, and
      // has no type.
      const inside = isIndented(line) && !items.some((item) => typeof item.value?.['type'] === 'string');
      if (this.#document.length === 0) return items;
      if (!inside) return [...this.#giveUp(), ...items];
    }
    if (this.#document.length === 0 && !opensDocument(line)) {
      return line.trim() === '' ? [] : [{ raw: line }];
    }
    this.#document.push(line);
    this.#documentChars += line.length;
    if (closing.test(line)) return this.#close();
    return this.#documentChars > maxDocumentChars ? this.#giveUp() : [];
  }

  end(): readonly JsonItem[] {
    const lines = this.#document;
    for (const [from, to] of documentSpans(lines)) {
      const raw = lines.slice(from, to).join('\n');
      const parsed = parse(raw);
      if (parsed === undefined) continue;
      const after = noiseOf(lines.slice(to));
      return [...this.#takeNoise(from), ...objectsIn(parsed, raw), ...after];
    }
    return this.#giveUp();
  }

  /** A document ends at the first bracket that is not indented; it began at the last one before. */
  #close(): readonly JsonItem[] {
    if (this.#failures >= maxFailures) return [];
    const from = Math.max(
      0,
      this.#document.findLastIndex((line) => opening.test(line)),
    );
    const raw = this.#document.slice(from).join('\n');
    const parsed = parse(raw);
    if (parsed !== undefined) return [...this.#takeNoise(from), ...objectsIn(parsed, raw)];
    this.#failures += 1;
    return [];
  }

  #giveUp(): readonly JsonItem[] {
    return this.#takeNoise(this.#document.length);
  }

  /** Drops the held lines, and returns those before the document as noise. */
  #takeNoise(count: number): readonly JsonItem[] {
    const noise = noiseOf(this.#document.slice(0, count));
    this.#document = [];
    this.#documentChars = 0;
    this.#failures = 0;
    return noise;
  }
}

function parse(text: string): unknown {
  // The brackets are checked first: a JSON.parse that throws costs more than one that doesn't.
  if (!opensDocument(text) || !closesDocument(text)) return undefined;
  try {
    return parseJson(text);
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

function closesDocument(text: string): boolean {
  for (let i = text.length - 1; i >= 0; i--) {
    const code = text.charCodeAt(i);
    if (code === 0x7d || code === 0x5d) return true;
    if (code !== 0x20 && code !== 0x09 && code !== 0x0d && code !== 0x0a) return false;
  }
  return false;
}

function objectsIn(parsed: unknown, raw: string): readonly JsonItem[] {
  if (isObject(parsed)) return [{ value: parsed, raw }];
  if (!Array.isArray(parsed)) return [{ raw }];
  return parsed.map((value) => {
    const shown = printJson(value);
    return isObject(value) ? { value, raw: shown } : { raw: shown };
  });
}

function noiseOf(lines: readonly string[]): readonly JsonItem[] {
  return lines.filter((line) => line.trim() !== '').map((raw) => ({ raw }));
}

function isIndented(line: string): boolean {
  return line.startsWith(' ') || line.startsWith('\t');
}

/** Guesses where a document may stand among lines of noise: few guesses, so that garbage stays cheap. */
function documentSpans(lines: readonly string[]): readonly (readonly [from: number, to: number])[] {
  if (lines.length === 0) return [];
  const first = lines.findIndex((line) => opening.test(line));
  const last = lines.findLastIndex((line) => closing.test(line)) + 1;
  const starts = first > 0 ? [0, first] : [0];
  const ends = last > 0 && last < lines.length ? [lines.length, last] : [lines.length];
  return starts.flatMap((from) => ends.filter((to) => to > from).map((to) => [from, to] as const));
}
