import { type Environment, given } from '../../config/home-directory.js';
import { ownSecrets } from '../../config/secrets.js';
import { isSettingName } from '../../config/settings.js';
import { usesSetting } from '../../config/used-settings.js';

/** The unit itself has these. */
const inUnit: ReadonlySet<string> = new Set(['TURNOUT_HOME', 'WORKING_DIR', 'PATH']);

/** Keys with which the agent CLIs log in. */
const agentKeys = /^[A-Z\d_]+_API_KEY$|^(?:ANTHROPIC|CLAUDE_CODE|GOOGLE|GEMINI|OPENAI)_[A-Z_]*TOKEN$/;

/**
 * Says which variables of this environment a systemd unit would not have, and how to keep them: by name, since their values
 * may be secrets. A setting that the files have in the same way is not lost.
 */
export function leftBehind(environment: Environment, ofFiles: Environment, home: string): string | undefined {
  const lost = Object.keys(environment)
    .filter((name) => (isSettingName(name) && usesSetting('gateway', name)) || agentKeys.test(name))
    .filter((name) => !inUnit.has(name) && given(environment[name]) !== undefined)
    .filter((name) => ofFiles[name] !== environment[name])
    .sort();
  if (lost.length === 0) return undefined;
  const secret = lost.find((name) => ownSecrets.includes(name) && !name.endsWith('_FILE'));
  const lines = [
    `These are set in your environment and are not in the unit: ${lost.join(', ')}.`,
    `Write each as a line NAME=value into ${home}/.env (chmod 600), which the gateway reads, then run this again.`,
    ...(secret === undefined ? [] : [`For ${secret} the unit has a better place: LoadCredential=.`]),
  ];
  return lines.join('\n');
}
