import { parseEnv } from 'node:util';
import { distance } from '../core/distance.js';
import { TurnoutError } from '../core/errors.js';
import { isSettingName, settingNames } from './settings.js';

/**
 * Reads a file in the format of `.env`. `parseEnv` passes over what it doesn't understand, and a restriction may be in
 * there: so each line is blank, a comment, or `NAME=value`, and no setting is there twice or misspelt.
 */
export function parseEnvFile(path: string, text: string): Record<string, string | undefined> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const entries: { readonly name: string; readonly value: string }[] = [];
  const problems: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (/^[ \t]*(?:#.*)?$/.test(line)) continue;
    const problem = (what: string) => problems.push(`line ${at + 1}: ${what}`);
    const [, name = '', first = ''] = entryLine.exec(line) ?? [];
    if (name === '') {
      problem('expected NAME=value');
      continue;
    }
    const meant = misspelt(name);
    if (meant !== undefined) problem(`${name} is no setting; is ${meant} meant?`);
    if (isSettingName(name) && entries.some((entry) => entry.name === name))
      problem(`${name} is there twice`);
    const value = wholeValue(first, lines.slice(at + 1));
    if ('problem' in value) {
      problem(`${name}: ${value.problem}`);
      continue;
    }
    entries.push({ name, value: value.text });
    at += value.moreLines;
  }
  const read = parseEnv(entries.map(({ name, value }) => `${name}=${value}\n`).join(''));
  const unread = entries.find(({ name }) => !Object.hasOwn(read, name));
  if (unread !== undefined) problems.push(`${unread.name} can't be read`);
  if (problems.length === 0) return { ...read };
  const list = problems.map((problem) => `  - ${problem}`).join('\n');
  throw new TurnoutError('bad_request', `${path} is wrong:\n${list}`, {
    hint: '`turnout config list` shows the settings. A comment begins with #.',
  });
}

const entryLine = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*(.*)$/;

/** A value in quotes goes on to the closing one. A setting within it is rather one that a forgotten quote has swallowed. */
function wholeValue(
  first: string,
  following: readonly string[],
): { readonly text: string; readonly moreLines: number } | { readonly problem: string } {
  const quote = first[0] ?? '';
  if (quote === '' || !'"\'`'.includes(quote)) return { text: first, moreLines: 0 };
  const all = [first, ...following].join('\n');
  const end = all.indexOf(quote, 1);
  if (end === -1) return { problem: 'the closing quote is missing' };
  const text = all.slice(0, end + 1);
  const inner = text.split('\n').slice(1);
  const swallowed = inner.map((line) => entryLine.exec(line)?.[1] ?? '').find(isSettingName);
  if (swallowed !== undefined) return { problem: `${swallowed} is within its quotes` };
  const [rest = ''] = all.slice(end + 1).split('\n');
  if (!/^[ \t]*(?:#.*)?$/.test(rest)) return { problem: 'there is text behind the closing quote' };
  return { text, moreLines: inner.length };
}

/** A misspelling of these would leave an agent with more rights than it was to have. */
const restrictions = 'PERMISSION_MODE ALLOWED_TOOLS BACKEND_MAX_TURNS CONFIG_DIR AGENT_USER HTTP_TOKEN'.split(
  ' ',
);

function misspelt(name: string): string | undefined {
  if (isSettingName(name)) return undefined;
  const written = plain(name);
  return (
    settingNames.find((known) => plain(known) === written) ??
    restrictions.find((known) => isNear(written, plain(known)))
  );
}

/** With another first letter two differences are another name: GH_CONFIG_DIR. */
function isNear(written: string, known: string): boolean {
  return distance(written, known) <= (written[0] === known[0] ? 2 : 1);
}

function plain(name: string): string {
  return name.replaceAll(/[-_.]/g, '').toLowerCase();
}
