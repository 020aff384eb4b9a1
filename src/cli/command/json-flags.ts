import type { FlagTable } from './command-page.js';
import { oneOf, wrong } from './flag-values.js';
import type { GivenFlags } from './read-flags.js';

/** The flags of every command that can print JSON in place of text. */
export const jsonFlags = {
  json: { type: 'switch', about: 'JSON in place of text' },
  output: {
    type: 'text',
    value: 'format',
    about: 'text (default) or json: the same as --json',
    complete: ['text', 'json'],
  },
} as const satisfies FlagTable;

/** The format that was asked for by `--json` or `--output`; undefined if none was. */
export function outputFormat<const T extends string>(
  given: Pick<GivenFlags<'json' | 'output'>, 'has' | 'text'>,
  formats: readonly T[],
): T | 'json' | undefined {
  const format = oneOf('--output', given.text('output'), formats);
  if (!given.has('json')) return format;
  if (format !== undefined && format !== 'json') throw wrong(`--json and --output ${format} were both given`);
  return 'json';
}

export function wantsJson(given: Pick<GivenFlags<'json' | 'output'>, 'has' | 'text'>): boolean {
  return outputFormat(given, ['text', 'json']) === 'json';
}
