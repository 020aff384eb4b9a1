import type { SpawnedCommand } from '../backends/types.js';

/** Prints the exact command for a shell, without the values that look like secrets. */
export function describeCommand({ command, args, cwd, env }: SpawnedCommand): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(redact(name, value))}`);
  return `in ${cwd}: ${[...variables, quote(command), ...redactWords(args).map(quote)].join(' ')}`;
}

/** Returns an argument list without the values of its secrets, in the flag's own word or behind it. */
export function redactWords(words: readonly string[]): readonly string[] {
  return words.map((word, at) =>
    secretFlag.test(words[at - 1] ?? '') ? '[redacted]' : redactArgument(word),
  );
}

const secretFlag = /^--?(?:[\w-]*[-_])?(?:api-?key|key|token|secret|password)$/i;

const secretName = /key|token|secret|password|credential|authorization/i;

function redact(name: string, value: string): string {
  return secretName.test(name) ? '[redacted]' : redactArgument(value);
}

/** Redacts `--api-key=…`, `Bearer …`, `https://user:…@host`, and the well-known prefixes of keys. */
function redactArgument(text: string): string {
  // Only the part that is shown is searched: a prompt can be long, and these patterns are slow on long words.
  const shown = text
    .slice(0, 2 * longestWord)
    .replace(/\b(Bearer\s+)[^\s"']+/gi, '$1[redacted]')
    .replace(
      /\b((?:[\w-]*(?:key|token|secret|password)[\w-]*)["']?\s*[=:]\s*["']?)[^\s"',}]+/gi,
      '$1[redacted]',
    )
    .replace(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, '$1[redacted]@')
    .replace(/\b(?:sk-|ghp_|gho_|xox[abp]-|AIza)[\w-]{8,}/g, '[redacted]');
  return text.length <= longestWord ? shown : `${shown.slice(0, longestWord)}… (${text.length} characters)`;
}

const longestWord = 400;

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
