import { existsSync } from 'node:fs';

export const redacted = '[redacted]';

/** Returns a text without its secrets. */
export type Redact = (text: string) => string;

type Environment = Readonly<Record<string, string | undefined>>;

/** Redacts what looks like a secret, and the values of an environment's secrets wherever they stand. */
export function redactorFor(env: Environment, more: readonly string[] = []): Redact {
  const named = Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [value ?? ''] : []));
  // A shorter value may be an ordinary word, which would then be missing everywhere.
  const values = [...named, ...more]
    .flatMap(withLines)
    .filter((value) => value.length >= 8 && !isPlainValue(value) && !isDirectory(value));
  const written = new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]));
  // Of two secrets, one of which begins with the other, the longer one is replaced first.
  const secrets = [...written].sort((a, b) => b.length - a.length).map(asPattern);
  return (text) =>
    redactText(secrets.reduce<string>((left, secret) => left.replaceAll(secret, redacted), text));
}

/**
 * A secret of several lines and each of them: a log may have them one by one. The first and the last line of a private key are
 * no secrets, and without them another key would not be found.
 */
function withLines(secret: string): readonly string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  return [secret, ...(lines.length > 1 ? lines.filter((line) => !line.startsWith('-----')) : [])];
}

/** A value like an ordinary word is replaced only as a whole word; any other one also within words. */
function asPattern(secret: string): string | RegExp {
  if (!/^[a-zA-Z]{1,15}$/.test(secret)) return secret;
  // In JSON a line break before the word ends with a letter: `\n`.
  return RegExp(`(?:(?<![a-zA-Z])|(?<=\\\\[bfnrt]))${secret}(?![a-zA-Z])`, 'g');
}

/** `PWD` and the like: an absolute path of a directory is no secret, whatever its name. */
function isDirectory(value: string): boolean {
  return value.startsWith('/') && existsSync(`${value}/.`);
}

/** Returns an argument list without the values of its secrets, in the flag's own word or behind it. */
export function redactWords(words: readonly string[], redact: Redact = redactText): readonly string[] {
  return words.map((word, at) => (isSecretFlag(words[at - 1] ?? '') ? redacted : redact(word)));
}

/** Returns variables without the values of those that have the name of a secret, or hold one. */
export function redactVariables(
  env: Readonly<Record<string, string>>,
  redact: Redact = redactText,
): Record<string, string> {
  const shown = Object.entries(env).map(([name, value]) => {
    const isSecret = isSecretName(name) && !isPlainValue(value) && !isDirectory(value);
    return [name, isSecret ? redacted : redact(value)] as const;
  });
  return Object.fromEntries(shown);
}

/** The variables of an environment that are not inherited, redacted. */
export function redactAdded(
  env: Readonly<Record<string, string>>,
  inherited: Readonly<Record<string, string>>,
): Record<string, string> {
  const more = Object.entries(env).filter(([name, value]) => inherited[name] !== value);
  return redactVariables(Object.fromEntries(more));
}

function isSecretFlag(word: string): boolean {
  return /^--?[\w-]{1,80}$/.test(word) && !word.endsWith('tokens') && isSecretName(word.replace(/^--?/, ''));
}

/** True for the name of a variable, a field, a header or a flag whose value is a secret. */
export function isSecretName(name: string): boolean {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
  // A shell keeps its directories in these two; a field `pwd` is a password.
  if (aboutSecret.test(words) || name === 'PWD' || name === 'OLDPWD') return false;
  return secretAnywhere.test(words) || secretAtEnd.test(words) || /(?:KEY|TOKEN)S?$/.test(name);
}

/** `apiKeySource`, `HTTP_TOKEN_FILE`: not the secret, but where it comes from. */
const aboutSecret = /[-_](?:source|helper|type|name|file|path|dir|directory|expires?(?:[-_]?(?:at|in))?)$/;
const secretAnywhere =
  /secret|passw(?:or)?d|passphrase|credential|authorization|(?:api|private|access)[-_]?key/;
const secretAtEnd = /(?:^|[-_.])(?:key|token|auth|cookie|pat|pwd)s?\d*$/;

/** True for an object whose values are secrets under any name: the variables and headers of an MCP server. */
export function holdsSecrets(name: string): boolean {
  return /^(?:env|environment|headers|http_headers)$/.test(name);
}

/** Numbers, true, false, nothing: `"input_tokens": 12` has the name of a secret, and is none. */
export function isPlainValue(value: string): boolean {
  return /^(?:-?[\d.]*|true|false|null|undefined|none)$/i.test(value);
}

/**
 * Redacts what looks like a secret: `NAME=…`, `"name": "…"` and `--name`, `…` with the name of a secret, every value of an
 * `env` or `headers` object, `Bearer …`, `https://user:…@host`, private keys, and the well-known prefixes of keys. It
 * takes time in proportion to the text's length.
 */
export function redactText(text: string): string {
  return redactNamed(
    text.replaceAll(/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}-----|$)/gs, redacted),
  )
    .replaceAll(/\b(Bearer|Basic)(\s{1,4})[^\s"'\\,[\]]{6,}/gi, `$1$2${redacted}`)
    .replaceAll(/(:\/\/[^\s/:@"'\\]{0,256}:)[^\s/@"'\\]{1,512}@/g, `$1${redacted}@`)
    .replaceAll(knownPrefixes, redacted);
}

const knownPrefixes =
  /\b(?:sk[-_]|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|npm_|hf_|AIza|AKIA|ya29\.)[\w-]{8,}|(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g;

/** A name, a sign of equality, and the quote that opens the value, if there is one. JSON within JSON has quotes like `\\"`. */
const assignment =
  /(?<![\w.-])-{0,2}(?<name>[\w.-]{1,80})(?:\\*["'])?[ \t]{0,4}[=:][ \t]{0,4}(?<quote>\\*["'])?/g;

function redactNamed(text: string): string {
  const named = replaceValues(text, assignment, ({ name = '', quote }, from) => {
    if (holdsSecrets(name.replace(/^.*\./, '')) && '{['.includes(text[from] ?? ' ')) {
      const to = blockEnd(text, from);
      return { to, value: redactBlock(text.slice(from, to)) };
    }
    if (name === 'name' && quote !== undefined) return redactPair(text, from, quote);
    if (!isSecretName(name)) return undefined;
    const to = quote === undefined ? wordEnd(text, from, name) : quoteEnd(text, from, quote);
    const value = text.slice(from, to);
    return isPlainValue(value) || value === redacted ? undefined : { to, value: redacted };
  });
  return replaceValues(named, flagInList, ({ name = '', quote = '' }, from) =>
    isSecretName(name) ? { to: quoteEnd(named, from, quote), value: redacted } : undefined,
  );
}

/** `"--api-key", "…"` */
const flagInList = /["']--?(?<name>[\w-]{1,80})\\*["']\s{0,8},\s{0,8}(?<quote>\\*["'])/g;

function redactBlock(block: string): string {
  return replaceValues(
    block,
    /(?<name>\bname\\*["']\s{0,8})?[=:]\s{0,8}(?<quote>\\*["'])/g,
    (found, from) => {
      const to = quoteEnd(block, from, found.quote ?? '');
      return { to, value: found.name === undefined ? redacted : block.slice(from, to) };
    },
  );
}

/** `"name":"TOKEN","value":"…"`, as some protocols write a variable. */
function redactPair(text: string, from: number, quote: string): Replacement | undefined {
  const nameTo = quoteEnd(text, from, quote);
  const name = text.slice(from, nameTo);
  if (name.length > 80 || !isSecretName(name)) return undefined;
  const [between] =
    /^\\*["']\s{0,8},\s{0,8}\\*["']value\\*["']\s{0,8}:\s{0,8}\\*["']/.exec(
      text.slice(nameTo, nameTo + 80),
    ) ?? [];
  if (between === undefined) return undefined;
  return { to: quoteEnd(text, nameTo + between.length, quote), value: name + between + redacted };
}

interface Replacement {
  /** The place behind the value that is replaced. */
  readonly to: number;
  readonly value: string;
}

type Found = { readonly name?: string; readonly quote?: string };

/** Replaces what follows each match of the pattern; `undefined` leaves it, and it is searched too. */
function replaceValues(
  text: string,
  pattern: RegExp,
  replace: (found: Found, from: number) => Replacement | undefined,
): string {
  let result = '';
  let copied = 0;
  for (const match of text.matchAll(pattern)) {
    const from = match.index + match[0].length;
    // The match lies within a value that is replaced already.
    if (match.index < copied) continue;
    const replacement = replace(match.groups ?? {}, from);
    if (replacement === undefined) continue;
    result += text.slice(copied, from) + replacement.value;
    copied = replacement.to;
  }
  return result + text.slice(copied);
}

/**
 * The place of the closing quote. In JSON each level of JSON within JSON doubles the backslashes, and one level more of them
 * makes a quote a part of the value. The search begins at the first backslash of a row only: else it would go over a long row
 * again from each of them.
 */
function quoteEnd(text: string, from: number, opening: string): number {
  const level = opening.length;
  const token = opening.endsWith('"') ? /(?<!\\)\\*"/g : /(?<!\\)\\*'/g;
  token.lastIndex = from;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const more = found[0].length - level;
    // A quote of a lower level ends the whole text that the value is in.
    if (more < 0 || (more / level) % 2 === 0) return found.index + Math.max(0, more);
  }
  return text.length;
}

/** The value of a header may have several words. */
function wordEnd(text: string, from: number, name: string): number {
  const end = /authorization|cookie/i.test(name) ? /[\r\n"'\\{}[\]]/g : /[\s"'\\,;&{}()[\]]/g;
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}

/** The place behind the bracket that closes the one at `from`, or the end of the text. */
function blockEnd(text: string, from: number): number {
  let depth = 0;
  const token = /(?<!\\)\\*["']|[{}[\]]/g;
  token.lastIndex = from;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [sign] = found;
    if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    else token.lastIndex = quoteEnd(text, found.index + sign.length, sign) + sign.length;
    if (depth === 0) return found.index + 1;
  }
  return text.length;
}
