import { settingNames } from '../../config/settings.js';
import { nearest } from '../../core/distance.js';
import { TurnoutError } from '../../core/errors.js';

/** The setting that a person means: `agent-backend` is AGENT_BACKEND. Throws if there is none. */
export function settingNamed(written: string): string {
  const name = written.trim().toUpperCase().replaceAll('-', '_');
  if (settingNames.includes(name)) return name;
  const near = nearest(written, settingNames) ?? containing(name);
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new TurnoutError('bad_request', `There is no setting ${JSON.stringify(written)}.${meant}`, {
    hint: '`turnout config list` has all of them.',
  });
}

/** The one setting that has the word in its name: `backend` is in several, `model` in two. */
function containing(word: string): string | undefined {
  if (word.length < 3) return undefined;
  const aliases: Readonly<Record<string, string>> = { BACKEND: 'AGENT_BACKEND', MODEL: 'BACKEND_MODEL' };
  const found = settingNames.filter((name) => name.includes(word));
  return Object.hasOwn(aliases, word) ? aliases[word] : found.length === 1 ? found[0] : undefined;
}
