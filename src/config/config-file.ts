import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { TurnoutError } from '../core/errors.js';
import { likelySetting, settingKey } from './setting-name.js';
import { isSettingName } from './settings.js';

/** What is in a `config.yaml`, also in one that is wrong. */
export interface ConfigText {
  /** The settings that can be read. */
  readonly settings: Readonly<Record<string, string>>;
  readonly problems: readonly ConfigProblem[];
}

export interface ConfigProblem {
  /** Begins with the line. */
  readonly text: string;
  /** The name that it is about, in the form of the environment. Undefined if the file is no list of settings at all. */
  readonly name?: string;
  /** The same name as it is written. */
  readonly written?: string;
  readonly isUnknown?: boolean;
}

/**
 * Reads `config.yaml`: lines of `NAME: value` with the names of settings, in any case, with dashes or underscores. A list is the
 * same as its items with commas between them. A name that is no setting is a problem: it may be a restriction that is
 * misspelt, and variables of other programs (PATH, NODE_OPTIONS) have no place there.
 */
export function readConfigText(text: string): ConfigText {
  const lines = new LineCounter();
  // With `failsafe` every value is text, as it is in an environment.
  const document = parseDocument(text, {
    schema: 'failsafe',
    prettyErrors: false,
    uniqueKeys: false,
    lineCounter: lines,
  });
  const lineAt = (offset: number | undefined) => `line ${lines.linePos(offset ?? 0).line}`;
  // What follows the first mistake is mostly its consequence.
  const [mistake] = document.errors;
  if (mistake !== undefined)
    return {
      settings: {},
      problems: [{ text: `${lineAt(mistake.pos[0])} is no valid YAML: ${mistake.message}` }],
    };
  const { contents } = document;
  const isEmpty = contents === null || (isScalar(contents) && !contents.value);
  if (!isMap(contents))
    return { settings: {}, problems: isEmpty ? [] : [{ text: 'expected lines of "NAME: value"' }] };
  const settings: Record<string, string> = {};
  const problems: ConfigProblem[] = [];
  for (const { key, value } of contents.items as readonly Pair<Node, Node | null>[]) {
    const written = isScalar(key) ? String(key.value) : '?';
    const name = settingKey(written);
    const isUnknown = !isSettingName(name);
    const read = isUnknown ? { problem: unknown(written) } : readValue(name, value);
    const problem = Object.hasOwn(settings, name) ? `${name} is there twice` : read.problem;
    if (problem === undefined) settings[name] = read.value ?? '';
    else problems.push({ text: `${lineAt(key.range?.[0])}: ${problem}`, name, written, isUnknown });
  }
  return { settings, problems };
}

/** Reads it for a command that uses the settings: a file that is wrong is refused as a whole. */
export async function parseConfigFile(path: string, text: string): Promise<Readonly<Record<string, string>>> {
  const { settings, problems } = readConfigText(text);
  if (problems.length > 0) throw wrongConfigFile(path, problems);
  return settings;
}

export function wrongConfigFile(path: string, problems: readonly ConfigProblem[]): TurnoutError {
  const list = problems.map(({ text }) => `  - ${text}`).join('\n');
  const stranger = problems.find(({ isUnknown }) => isUnknown)?.written;
  return new TurnoutError('bad_request', `${path} is wrong:\n${list}`, {
    hint:
      stranger !== undefined && /^[\w-]+$/.test(stranger)
        ? `\`turnout config list\` shows the settings; \`turnout config unset ${stranger}\` takes that one out.`
        : 'Each line is "NAME: value"; `turnout config list` shows the settings.',
  });
}

function unknown(written: string): string {
  const likely = likelySetting(written);
  return `${JSON.stringify(written)} is no setting${likely === undefined ? '' : `. Did you mean ${likely}?`}`;
}

function readValue(name: string, value: Node | null): { readonly value?: string; readonly problem?: string } {
  if (value === null) return {};
  if (isScalar(value)) return { value: String(value.value ?? '') };
  const items = isSeq(value)
    ? value.items.map((item) => (isScalar(item) ? String(item.value ?? '') : ''))
    : [''];
  if (items.length === 0) return { problem: `${name}: the list is empty; leave it out for the default` };
  if (items.includes('')) return { problem: `${name}: expected a value or a list of values` };
  return { value: items.join(',') };
}
