import { TurnoutError } from '../../core/errors.js';
import type { Flag, FlagTable } from './command-page.js';
import { didYouMean } from './did-you-mean.js';

export type { Flag, FlagTable } from './command-page.js';

/** A flag with its values, in the words of the command line. */
export interface TypedFlag {
  /** The flag's name in the table. */
  readonly name: string;
  readonly words: readonly string[];
}

/** A command line that was taken apart. */
export interface GivenFlags<Name extends string> {
  has(name: Name): boolean;
  text(name: Name): string | undefined;
  all(name: Name): readonly string[] | undefined;
  /** The flags that were given, in their order. */
  readonly names: readonly Name[];
  /** Each flag as it was typed, in the order of the command line. */
  readonly typed: readonly TypedFlag[];
  readonly positionals: readonly string[];
  /** Everything behind `--`. */
  readonly rawArgs: readonly string[];
}

export interface ReadFlagsOptions {
  /** The command as it is typed, for hints: `run`. */
  readonly command: string;
  /** The error for a flag that is known, and that this program does not have. */
  readonly refuse?: (flag: string) => TurnoutError | undefined;
}

/**
 * Reads flags in any order, around the other words: `--name value`, `--name=value`, `-n value`, `-nv`. A value may begin with a
 * dash if it is no flag itself: a system prompt often begins with a list.
 */
export function readFlags<const T extends FlagTable>(
  argv: readonly string[],
  table: T,
  options: ReadFlagsOptions,
): GivenFlags<keyof T & string> {
  const names = namesIn(table);
  const values = new Map<string, string[]>();
  const typed: TypedFlag[] = [];
  const positionals: string[] = [];
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  let at = 0;

  const isFlag = (word: string) => {
    const name = /^--?[^=\s]+/.exec(word)?.[0];
    return name !== undefined && (names.has(name) || options.refuse?.(name) !== undefined);
  };
  const take = (written: string, attached: string | undefined): void => {
    const [name, flag] = names.get(written) ?? unknown(written, names, options);
    const given = values.get(name) ?? [];
    values.set(name, given);
    const first = attached === undefined ? written : joined(written, attached);
    const from = at;
    takeValues(written, attached, flag, given);
    typed.push({ name, words: [first, ...words.slice(from, at)] });
  };
  const takeValues = (written: string, attached: string | undefined, flag: Flag, given: string[]): void => {
    if (flag.type === 'switch') {
      if (attached !== undefined) throw wrongUsage(options.command, `${written} takes no value`);
      return;
    }
    const next = words[at];
    if (attached === undefined && (next === undefined || isFlag(next))) {
      if (flag.type === 'optional') return;
      throw wrongUsage(options.command, `${written} expects a value`);
    }
    given.push(attached ?? next ?? '');
    if (attached === undefined) at += 1;
    for (let more = words[at]; more !== undefined && !isFlag(more); more = words[at]) {
      if (flag.takesMore?.(more) !== true) break;
      given.push(more);
      at += 1;
    }
  };

  while (at < words.length) {
    const word = words[at] ?? '';
    at += 1;
    if (word.startsWith('--')) {
      const equals = word.indexOf('=');
      take(equals < 0 ? word : word.slice(0, equals), equals < 0 ? undefined : word.slice(equals + 1));
    } else if (/^-./.test(word)) takeShort(word, names, take);
    else positionals.push(word);
  }
  return {
    has: (name) => values.has(name),
    text: (name) => values.get(name)?.at(-1),
    all: (name) => values.get(name),
    names: [...values.keys()] as (keyof T & string)[],
    typed,
    positionals,
    rawArgs: end < 0 ? [] : argv.slice(end + 1),
  };
}

export function wrongUsage(command: string, what: string, hint?: string): TurnoutError {
  return new TurnoutError('bad_request', what, { hint: hint ?? `See \`turnout help ${command}\`.` });
}

/** `--name=value`, `-nvalue`. */
function joined(written: string, value: string): string {
  return written.startsWith('--') ? `${written}=${value}` : `${written}${value}`;
}

type Names = ReadonlyMap<string, readonly [name: string, flag: Flag]>;

function namesIn(table: FlagTable): Names {
  return new Map(
    Object.entries(table).flatMap(([name, flag]) => {
      const long = [name, ...(flag.aliases ?? [])].map((word) => `--${word}`);
      const all = flag.short === undefined ? long : [...long, `-${flag.short}`];
      return all.map((written) => [written, [name, flag] as const] as const);
    }),
  );
}

/** `-pc` is two switches; what follows a letter that takes a value is the value. */
function takeShort(
  word: string,
  names: Names,
  take: (written: string, attached: string | undefined) => void,
): void {
  for (let index = 1; index < word.length; index += 1) {
    const written = `-${word[index]}`;
    const type = names.get(written)?.[1].type;
    if (type === 'switch') {
      take(written, undefined);
      continue;
    }
    const rest = word.slice(index + 1).replace(/^=/, '');
    take(written, type === undefined || rest === '' ? undefined : rest);
    return;
  }
}

function unknown(written: string, names: Names, { command, refuse }: ReadFlagsOptions): never {
  const refusal = refuse?.(written);
  if (refusal !== undefined) throw refusal;
  const long = [...names.keys()].filter((name) => name.startsWith('--'));
  const meant = written.startsWith('--') ? didYouMean(written, long) : '';
  throw wrongUsage(command, `There is no option ${written}.${meant}`);
}
