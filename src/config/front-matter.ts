import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { nearest } from '../core/distance.js';

/** The text between two lines of `---` at the top of a Markdown file, and the rest. */
export interface SplitText {
  /** Undefined if there is no front matter. */
  readonly yaml: string | undefined;
  /** The line of the opening `---`, counted from 1. */
  readonly openingLine: number;
  readonly body: string;
  /** The first line of the body, counted from 1. */
  readonly bodyLine: number;
  /** True if the text begins with `---` and no second one follows: all of the text is body. */
  readonly unclosed: boolean;
}

export function splitFrontMatter(text: string): SplitText {
  const whole = { yaml: undefined, openingLine: 1, body: text, bodyLine: 1 };
  // Blank lines and characters that nobody sees may stand in front.
  const opening = /^[\s\uFEFF\u200B\u2060]*---[ \t]*(?:\n|$)/.exec(text);
  if (opening === null) return { ...whole, unclosed: false };
  const openingLine = opening[0].trimEnd().split('\n').length;
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\n|$)/gm;
  closing.lastIndex = opening[0].length;
  const found = closing.exec(text);
  if (found === null) return { ...whole, openingLine, unclosed: true };
  const bodyAt = found.index + found[0].length;
  return {
    yaml: text.slice(opening[0].length, found.index),
    openingLine,
    body: text.slice(bodyAt),
    bodyLine: text.slice(0, bodyAt).split('\n').length,
    unclosed: false,
  };
}

/** The settings that a file may have, made of texts and lists; each schema's error says what was expected. */
export type SettingsShape = Readonly<Record<string, z.ZodType>>;

export interface FrontMatter<S extends SettingsShape> {
  /** The right settings. A key without a value counts as not set. */
  readonly settings: { readonly [K in keyof S]?: z.infer<S[K]> };
  readonly body: string;
  readonly bodyLine: number;
  /** The file, the line, and what was expected. */
  readonly problems: readonly string[];
}

export interface FrontMatterOptions<S extends SettingsShape> {
  /** Further names of keys, in small letters only: with them upper case, `_`, `-` and blanks in a key don't matter. */
  readonly aliases?: Readonly<Record<string, keyof S & string>>;
  /** A key without a value is a problem: something was meant to stand there. */
  readonly valuesNeeded?: boolean;
}

/** Takes the right settings and names the wrong ones: one bad key leaves the others in force. */
export function readFrontMatter<S extends SettingsShape>(
  path: string,
  text: string,
  shape: S,
  options: FrontMatterOptions<S> = {},
): FrontMatter<S> {
  const { yaml, openingLine, body, bodyLine, unclosed } = splitFrontMatter(text);
  const problems: string[] = [];
  const settings: Record<string, unknown> = {};
  const done = { settings: settings as FrontMatter<S>['settings'], body, bodyLine, problems };
  if (unclosed) {
    problems.push(
      `${path} line ${openingLine}: the front matter is not closed; expected a second line of ---`,
    );
  }
  if (yaml === undefined) return done;

  const counter = new LineCounter();
  // With `failsafe` every value is text, also a channel's id that has too many digits for a number.
  const document = parseDocument(yaml, { schema: 'failsafe', lineCounter: counter, prettyErrors: false });
  const at = (offset: number) => `${path} line ${counter.linePos(offset).line + openingLine}`;
  for (const error of document.errors) problems.push(`${at(error.pos[0])}: not valid YAML: ${error.message}`);
  const { contents } = document;
  if (problems.length > 0 || contents === null || (isScalar(contents) && contents.value === null))
    return done;
  if (!isMap(contents)) {
    problems.push(`${path} line ${openingLine + 1}: expected lines of "key: value" in the front matter`);
    return done;
  }
  for (const { key, value } of contents.items) {
    const written = isScalar(key) ? String(key.value) : '?';
    const name = nameOf(written, options.aliases);
    const place = at(isScalar(key) ? (key.range?.[0] ?? 0) : 0);
    const addProblem = (what: string) => problems.push(`${place}: ${what}`);
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (schema === undefined) {
      const near = nearest(name, Object.keys(shape));
      const meant = near === undefined ? '' : `; did you mean ${near}?`;
      addProblem(`unknown key "${name}"; expected ${Object.keys(shape).join(', ')}${meant}`);
      continue;
    }
    if (value === null || isNothing(value)) {
      if (options.valuesNeeded) addProblem(`${written}: expected a value; remove the line to set nothing`);
      continue;
    }
    if (Object.hasOwn(settings, name)) {
      addProblem(`${written}: ${name} is set already, above`);
      continue;
    }
    const parsed = schema.safeParse(plainValue(value, document));
    if (parsed.success) settings[name] = parsed.data;
    else addProblem(`${written}: ${parsed.error.issues[0]?.message ?? 'wrong value'}`);
  }
  return done;
}

function nameOf(written: string, aliases: Readonly<Record<string, string>> | undefined): string {
  const plain = plainKey(written);
  return aliases !== undefined && Object.hasOwn(aliases, plain) ? (aliases[plain] ?? written) : written;
}

/** A key in small letters, without what stands between its words. */
export function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[\s_-]/g, '');
}

function isNothing(value: unknown): boolean {
  return isScalar(value) && value.type === 'PLAIN' && /^(?:~|null)?$/i.test(String(value.value ?? ''));
}

/** A value that can't be resolved (an alias of nothing, or of too much) is one of the wrong type. */
function plainValue(value: unknown, document: ReturnType<typeof parseDocument>): unknown {
  if (typeof value !== 'object' || value === null || !('toJS' in value)) return value;
  try {
    return (value as { toJS(document: unknown): unknown }).toJS(document);
  } catch {
    return {};
  }
}
