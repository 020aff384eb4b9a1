import { join } from 'node:path';
import { userHome } from '../../config/home-directory.js';
import {
  type Environment,
  type FoundCredentials,
  firstSet,
  isKey,
  notKnown,
  readObject,
  signedInBy,
} from '../launch/credentials.js';
import { object } from '../output/read-fields.js';

/**
 * Looks for accounts and keys of model providers where OpenCode itself looks (1.18.33). It never says that there is none: a
 * hosted model that is free, or a model on this machine, needs no account.
 */
export async function findCredentials(env: Environment): Promise<FoundCredentials> {
  const home = userHome(env);
  const data = join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'opencode');
  const accounts = Object.keys(object(await readObject(join(data, 'auth.json'))));
  if (accounts.length > 0) return signedInBy(`opencode auth login (${accounts.join(', ')})`);
  const variable = firstSet(env, keys);
  if (variable !== undefined) return signedInBy(variable);
  const folder = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
  for (const name of ['opencode.json', 'opencode.jsonc']) {
    const config = object(await readObject(env['OPENCODE_CONFIG'] || join(folder, name)));
    const providers = Object.entries(object(config['provider']));
    const keyed = providers.find(([, provider]) => isKey(object(object(provider)['options'])['apiKey']));
    if (keyed !== undefined) return signedInBy(`a key in its settings (${keyed[0]})`);
  }
  return notKnown;
}

/** The variables of the providers that most people use; OpenCode's catalogue has some more. */
const keys = [
  ...['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
  ...['GOOGLE_GENERATIVE_AI_API_KEY', 'OPENROUTER_API_KEY', 'GROQ_API_KEY', 'MISTRAL_API_KEY'],
  ...['XAI_API_KEY', 'DEEPSEEK_API_KEY', 'GITHUB_TOKEN', 'AZURE_API_KEY', 'AWS_BEARER_TOKEN_BEDROCK'],
];
