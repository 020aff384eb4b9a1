import { nearest } from '../core/distance.js';
import { meantSetting } from './file-warnings.js';
import { settingNames } from './settings.js';

/** The name of a setting in the form of the environment. A person may write it in any case and with dashes: `agent-backend`. */
export function settingKey(written: string): string {
  return written.trim().toUpperCase().replaceAll('-', '_');
}

/** The setting that a wrong name is probably meant as. */
export function likelySetting(written: string): string | undefined {
  const key = settingKey(written);
  return nearest(key, settingNames) ?? containing(key) ?? meantSetting(key);
}

/** The one setting that has the word in its name: `backend` is in several, `model` in two. */
function containing(word: string): string | undefined {
  if (word.length < 3) return undefined;
  const aliases: Readonly<Record<string, string>> = { BACKEND: 'AGENT_BACKEND', MODEL: 'BACKEND_MODEL' };
  const found = settingNames.filter((name) => name.includes(word));
  return Object.hasOwn(aliases, word) ? aliases[word] : found.length === 1 ? found[0] : undefined;
}
