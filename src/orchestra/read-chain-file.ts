import { resolve } from 'node:path';
import type * as z from 'zod';
import { readTextFile } from '../config/read-text-file.js';
import { nearest } from '../core/distance.js';
import { TurnoutError } from '../core/errors.js';
import { type AgentEntry, type ChainEntry, chainFileSchema } from './chain-schema.js';

export interface ChainFile {
  /** The path as it is shown, relative to the working directory if it was found there. */
  readonly path: string;
  readonly agents: ReadonlyMap<string, AgentEntry>;
  readonly chains: ReadonlyMap<string, ChainEntry>;
  /** Fields that mean nothing here, by their path. */
  readonly warnings: readonly string[];
}

/** Looked for in the working directory, in this order. */
export const chainFilePaths = ['chains.json', 'chains.yaml', 'forge/orch/chains.json'] as const;

/** Reads the file that was asked for, or the first that is there. `undefined`: there is none. */
export async function findChainFile(cwd: string, asked?: string): Promise<ChainFile | undefined> {
  if (asked !== undefined) return await parseChainFile(asked, await read(resolve(cwd, asked)));
  for (const path of chainFilePaths) {
    const text = await readIfThere(resolve(cwd, path), path);
    if (text !== undefined) return await parseChainFile(path, text);
  }
  return undefined;
}

/** Reads JSON or YAML and checks it against the format. All that is wrong is told at once, each by its path. */
export async function parseChainFile(path: string, text: string): Promise<ChainFile> {
  const raw = path.endsWith('.json') ? parseJson(path, text) : await parseYaml(path, text);
  const parsed = chainFileSchema.safeParse(raw);
  const unknown = parsed.success ? unknownFields(raw, parsed.data) : [];
  const misspelt = unknown.flatMap(({ place, meant }) =>
    meant === undefined ? [] : [`${place} is no field. Did you mean "${meant}"?`],
  );
  const problems = parsed.success ? misspelt : parsed.error.issues.map(describe);
  if (!parsed.success || problems.length > 0) {
    throw new TurnoutError(
      'bad_request',
      `${path} is wrong:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
      {
        hint: 'docs/chains.md describes the format.',
      },
    );
  }
  return {
    path,
    agents: new Map(Object.entries(parsed.data.agents ?? {})),
    chains: new Map(Object.entries(parsed.data.chains)),
    warnings: unknown.map(({ place }) => `${path}: ${place} is no field, and is ignored.`),
  };
}

/** A file that was named has to be there. */
async function read(file: string): Promise<string> {
  const text = await readIfThere(file, file);
  if (text !== undefined) return text;
  throw new TurnoutError('bad_request', `The chain file ${file} is not there.`, {
    hint: `The path is relative to the working directory (--cwd). Without --file these are looked for there: ${chainFilePaths.join(', ')}.`,
  });
}

const maxFileBytes = 4 * 1024 ** 2;

async function readIfThere(file: string, shown: string): Promise<string | undefined> {
  const reading = await readTextFile(file, maxFileBytes);
  if (reading.type === 'missing') return undefined;
  const problem = reading.type === 'problem' ? reading.problem : 'is larger than 4 MB';
  if (reading.type === 'file' && !reading.file.truncated) return reading.file.text;
  throw new TurnoutError('bad_request', `The chain file ${shown} ${problem}.`);
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new TurnoutError('bad_request', `${path} is not valid JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
}

async function parseYaml(path: string, text: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined)
    throw new TurnoutError('bad_request', `${path} is not valid YAML: ${error.message}`);
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new TurnoutError('bad_request', `${path} is not valid YAML: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** `chains.build.steps[1].iterations: expected 1 or more`. */
function describe({ path, message, ...issue }: z.core.$ZodIssue): string {
  const place = placeOf(path);
  if (issue.code === 'invalid_type' && message.includes('undefined')) return `${place} is missing`;
  return `${place}: ${expectation({ path, message, ...issue } as z.core.$ZodIssue)}`;
}

/** What is wrong, in the words of the reader and not of the validator. */
function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type': {
      const [, got] = /received (\w+)/.exec(issue.message) ?? [];
      return `expected ${kinds[issue.expected] ?? issue.expected}${got === undefined ? '' : `, got ${kinds[got] ?? got}`}`;
    }
    case 'too_small':
      if (issue.origin === 'string') return 'is empty';
      if (issue.origin === 'array') return 'expected at least one';
      return issue.inclusive ? `expected ${issue.minimum} or more` : `expected more than ${issue.minimum}`;
    case 'too_big':
      return `expected ${issue.maximum} at most`;
    case 'invalid_value':
      return `expected one of ${issue.values.join(', ')}`;
    case 'invalid_format':
      return 'a name has letters, digits, "-" and "_", and begins with a letter or digit';
    default:
      return issue.message;
  }
}

const kinds: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function placeOf(path: readonly PropertyKey[]): string {
  const place = path
    .map((part) => (typeof part === 'number' ? `[${part + 1}]` : `.${String(part)}`))
    .join('');
  return place === '' ? 'the file' : place.replace(/^\./, '');
}

interface UnknownField {
  readonly place: string;
  /** The field that it is nearly the name of. */
  readonly meant: string | undefined;
}

/** The fields of the file that the format does not know: the parsed copy lacks them. */
function unknownFields(raw: unknown, known: unknown, path: readonly PropertyKey[] = []): UnknownField[] {
  if (Array.isArray(raw) && Array.isArray(known)) {
    return raw.flatMap((item, index) => unknownFields(item, known[index], [...path, index]));
  }
  if (!isObject(raw) || !isObject(known)) return [];
  return Object.entries(raw).flatMap(([key, value]) => {
    if (Object.hasOwn(known, key)) return unknownFields(value, known[key], [...path, key]);
    // `$schema`, `_note` and `//` are comments.
    if (/^[$_/]/.test(key)) return [];
    return [{ place: placeOf([...path, key]), meant: meantField(key) }];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that stands in the wrong place is no misspelt one: an older file may have it there, and it is told as unknown. */
function meantField(key: string): string | undefined {
  return fieldNames.includes(key) ? undefined : nearest(key, fieldNames);
}

const fieldNames: readonly string[] = fieldsOf(chainFileSchema);

/** All names of fields in the format, however deep. */
function fieldsOf(schema: unknown, seen = new Set<unknown>()): string[] {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const { shape, def } = schema as { shape?: object; def?: Record<string, unknown> };
  const inner = [def?.['innerType'], def?.['valueType'], def?.['element']];
  const fields = Object.entries(shape ?? {});
  return [
    ...fields.map(([name]) => name),
    ...[...fields.map(([, field]) => field), ...inner].flatMap((field) => fieldsOf(field, seen)),
  ];
}
