import { delimiter } from 'node:path';
import { childEnvironment } from '../backends/launch/child-environment.js';
import type { SpawnedCommand } from '../backends/types.js';
import { type Redact, redactText, redactVariables, redactWords } from '../config/redact.js';

/** Prints the exact command for a shell, without the values that look like secrets. */
export function describeCommand(
  { command, args, cwd, env }: SpawnedCommand,
  redact: Redact = redactText,
  inherited: Readonly<Record<string, string | undefined>> = {},
): string {
  const short: Redact = (word) => shorten(word, redact);
  const { PATH: path, ...others } = env;
  const variables = Object.entries(redactVariables(others, short)).map(
    ([name, value]) => `${name}=${quoteWord(value)}`,
  );
  if (path !== undefined) variables.push(`PATH=${describePath(path, inherited, short)}`);
  return `in ${cwd}: ${[...variables, quoteWord(command), ...redactWords(args, short).map(quoteWord)].join(' ')}`;
}

/** A PATH that was only added to is shown as a shell writes it: the addition, and `"$PATH"`. */
function describePath(
  path: string,
  inherited: Readonly<Record<string, string | undefined>>,
  redact: Redact,
): string {
  const { PATH: before = '' } = childEnvironment({ PATH: inherited['PATH'] });
  if (before === '' || !path.endsWith(`${delimiter}${before}`)) return quoteWord(redact(path));
  return `${quoteWord(redact(path.slice(0, -before.length)))}"$PATH"`;
}

const longestWord = 400;

/** Only the part that is shown is searched for secrets, and as much behind it: a prompt can be long. */
function shorten(word: string, redact: Redact): string {
  const shown = redact(word.slice(0, 2 * longestWord));
  return word.length <= longestWord ? shown : `${shown.slice(0, longestWord)}… (${word.length} characters)`;
}

/** A word as a shell takes it. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
