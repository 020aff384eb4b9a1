import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';

/** The text between two lines of `---` at the top of a Markdown file, and the rest. */
export interface SplitText {
  /** Undefined if there is no front matter. */
  readonly yaml: string | undefined;
  readonly body: string;
  /** The first line of the body, counted from 1. */
  readonly bodyLine: number;
  /** True if the first line is `---` and no second one follows: all of the text is body. */
  readonly unclosed: boolean;
}

export function splitFrontMatter(text: string): SplitText {
  const whole = { yaml: undefined, body: text, bodyLine: 1 };
  const opening = /^---[ \t]*(?:\n|$)/.exec(text);
  if (opening === null) return { ...whole, unclosed: false };
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\n|$)/gm;
  closing.lastIndex = opening[0].length;
  const found = closing.exec(text);
  if (found === null) return { ...whole, unclosed: true };
  const bodyAt = found.index + found[0].length;
  return {
    yaml: text.slice(opening[0].length, found.index),
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

export interface FrontMatterProblem {
  /** The file, the line, and what was expected. */
  readonly text: string;
  /** The key that it is about; undefined if nothing of the front matter could be read. */
  readonly key?: string;
}

/** Takes the right settings and names the wrong ones: one bad key leaves the others in force. */
export function readFrontMatter<S extends SettingsShape>(
  path: string,
  text: string,
  shape: S,
): FrontMatter<S> {
  const { problems, ...read } = parseFrontMatter(path, text, shape);
  return { ...read, problems: problems.map((problem) => problem.text) };
}

/** Like `readFrontMatter`, but each problem has its key. `aliases` are further names of keys. */
export function parseFrontMatter<S extends SettingsShape>(
  path: string,
  text: string,
  shape: S,
  aliases: Readonly<Record<string, keyof S & string>> = {},
): Omit<FrontMatter<S>, 'problems'> & { readonly problems: readonly FrontMatterProblem[] } {
  const { yaml, body, bodyLine, unclosed } = splitFrontMatter(text);
  const problems: FrontMatterProblem[] = [];
  const settings: Record<string, unknown> = {};
  const done = { settings: settings as FrontMatter<S>['settings'], body, bodyLine, problems };
  if (unclosed) {
    problems.push({
      text: `${path} line 1: the front matter is not closed; expected a second line of ---`,
    });
  }
  if (yaml === undefined) return done;

  const counter = new LineCounter();
  // With `failsafe` every value is text, also a channel's id that has too many digits for a number.
  const document = parseDocument(yaml, { schema: 'failsafe', lineCounter: counter, prettyErrors: false });
  // The opening --- is line 1.
  const at = (offset: number) => `${path} line ${counter.linePos(offset).line + 1}`;
  for (const error of document.errors)
    problems.push({ text: `${at(error.pos[0])}: not valid YAML: ${error.message}` });
  const { contents } = document;
  if (problems.length > 0 || contents === null || (isScalar(contents) && contents.value === null))
    return done;
  if (!isMap(contents)) {
    problems.push({ text: `${path} line 2: expected lines of "key: value" in the front matter` });
    return done;
  }
  for (const { key, value } of contents.items) {
    const written = isScalar(key) ? String(key.value) : '?';
    const name = (Object.hasOwn(aliases, written) ? aliases[written] : undefined) ?? written;
    const place = at(isScalar(key) ? (key.range?.[0] ?? 0) : 0);
    const addProblem = (what: string) => problems.push({ text: `${place}: ${what}`, key: name });
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (schema === undefined) {
      addProblem(`unknown key "${name}"; expected ${Object.keys(shape).join(', ')}`);
      continue;
    }
    if (value === null || isNothing(value)) continue;
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
