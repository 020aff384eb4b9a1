import { likelySetting, settingKey } from '../../config/setting-name.js';
import { isSettingName } from '../../config/settings.js';
import { TurnoutError } from '../../core/errors.js';

/** The setting that a person means: `agent-backend` is AGENT_BACKEND. Throws if there is none. */
export function settingNamed(written: string): string {
  const name = settingKey(written);
  if (isSettingName(name)) return name;
  const likely = likelySetting(written);
  const meant = likely === undefined ? '' : ` Did you mean ${likely}?`;
  throw new TurnoutError('bad_request', `There is no setting ${JSON.stringify(written)}.${meant}`, {
    hint: '`turnout config list` has all of them.',
  });
}
