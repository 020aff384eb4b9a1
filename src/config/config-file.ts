import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { TurnoutError } from '../core/errors.js';
import { meantSetting } from './file-warnings.js';
import { isSettingName } from './settings.js';

/**
 * Reads `config.yaml`: lines of `NAME: value` with the names of settings, in any case. A list is the same as its
 * items with commas between them. A name that is no setting is refused: it may be a restriction that is misspelt,
 * and variables of other programs (PATH, NODE_OPTIONS) have no place there.
 */
export async function parseConfigFile(path: string, text: string): Promise<Record<string, string>> {
  // With `failsafe` every value is text, as it is in an environment.
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: true });
  const problems = document.errors.map(({ message }) => message.split('\n')[0] ?? 'not valid YAML');
  const settings: Record<string, string> = {};
  const { contents } = document;
  const isEmpty = contents === null || (isScalar(contents) && !contents.value);
  if (problems.length === 0 && !isMap(contents) && !isEmpty) problems.push('expected lines of "NAME: value"');
  for (const { key, value } of isMap(contents) ? contents.items : []) {
    const written = isScalar(key) ? String(key.value) : '?';
    const name = written.toUpperCase();
    const meant = meantSetting(name);
    if (!isSettingName(name))
      problems.push(
        `${JSON.stringify(written)} is no setting${meant === undefined ? '' : `; is ${meant} meant?`}`,
      );
    else if (Object.hasOwn(settings, name)) problems.push(`${name} is there twice`);
    else if (value === null) settings[name] = '';
    else if (isScalar(value)) settings[name] = String(value.value ?? '');
    else if (isSeq(value) && value.items.length === 0)
      problems.push(`${name}: the list is empty; leave it out for the default`);
    else if (isSeq(value) && value.items.every((item) => isScalar(item) && item.value))
      settings[name] = value.items.map((item) => (isScalar(item) ? String(item.value) : '')).join(',');
    else problems.push(`${name}: expected a value or a list of values`);
  }
  if (problems.length === 0) return settings;
  const list = problems.map((problem) => `  - ${problem}`).join('\n');
  throw new TurnoutError('bad_request', `${path} is wrong:\n${list}`, {
    hint: 'docs/configuration.md lists the settings.',
  });
}
