import { join } from 'node:path';
import { userHome } from '../../config/home-directory.js';
import {
  type Environment,
  type FoundCredentials,
  firstSet,
  isKey,
  isOn,
  notKnown,
  notSignedIn,
  readObject,
  signedInBy,
} from '../launch/credentials.js';
import { object } from '../output/read-fields.js';

/** Looks where Claude Code itself looks for a key or an account (2.1.325). */
export async function findCredentials(
  env: Environment,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): Promise<FoundCredentials> {
  const cloud = clouds.find((name) => isOn(env[name]));
  // The cloud's own credentials come from many places, instances among them.
  if (cloud !== undefined) return { signedIn: 'unknown', credentials: `a cloud account (${cloud})` };
  const key = firstSet(env, keys);
  if (key !== undefined) return signedInBy(key);
  const home = env['CLAUDE_CONFIG_DIR'] || join(userHome(env), '.claude');
  const settings = [
    join(home, 'settings.json'),
    join(cwd, '.claude', 'settings.json'),
    join(cwd, '.claude', 'settings.local.json'),
  ];
  let doubtful = platform === 'darwin';
  for (const file of settings) {
    const read = await readObject(file);
    if (read === 'unreadable') doubtful = true;
    const found = object(read === 'unreadable' ? undefined : read);
    if (isKey(found['apiKeyHelper'])) return signedInBy(`apiKeyHelper in ${file}`);
    const variable = [...keys, ...clouds].find((name) => isKey(object(found['env'])[name]));
    if (variable !== undefined) return signedInBy(`${variable} in ${file}`);
  }
  const account = await readObject(join(home, '.credentials.json'));
  if (account === 'unreadable') doubtful = true;
  const oauth = object(object(account)['claudeAiOauth']);
  if (isKey(oauth['refreshToken']) || (isKey(oauth['accessToken']) && isValid(oauth['expiresAt'])))
    return signedInBy('a Claude account (/login)');
  const global = await readObject(join(env['CLAUDE_CONFIG_DIR'] || userHome(env), '.claude.json'));
  if (isKey(object(global)['primaryApiKey'])) return signedInBy('a key from /login');
  // On macOS the account is in the keychain, which would ask its user.
  return doubtful ? notKnown : notSignedIn;
}

const keys = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];
const clouds = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'];

function isValid(expiresAt: unknown): boolean {
  return typeof expiresAt !== 'number' || expiresAt > Date.now();
}
