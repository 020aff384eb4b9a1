import { join } from 'node:path';
import { given, userHome } from '../../config/home-directory.js';
import {
  type Environment,
  type FoundCredentials,
  isKey,
  notKnown,
  notSignedIn,
  readObject,
  readText,
  signedInBy,
} from '../launch/credentials.js';
import { object } from '../output/read-fields.js';

/**
 * Looks where Codex itself looks for a key or an account. OPENAI_API_KEY alone is none: Codex uses it only through
 * `codex login --with-api-key`, or as the `env_key` of a provider (measured with 0.166.0).
 */
export async function findCredentials(env: Environment): Promise<FoundCredentials> {
  const home = env['CODEX_HOME'] || join(userHome(env), '.codex');
  const config = await readText(join(home, 'config.toml'));
  if (config === 'unreadable') return notKnown;
  const provider = providerIn(config?.text ?? '');
  if (provider !== undefined) return ofProvider(provider, env);
  // `codex exec` alone takes it; for live sessions it has to be stored.
  if (given(env['CODEX_API_KEY']) !== undefined) return signedInBy('CODEX_API_KEY (one-shot turns only)');
  const stored = await readObject(join(home, 'auth.json'));
  if (stored === 'unreadable') return notKnown;
  if (isKey(object(stored)['OPENAI_API_KEY'])) return signedInBy('a key from codex login');
  const tokens = object(object(stored)['tokens']);
  if (isKey(tokens['refresh_token']) || isKey(tokens['access_token']))
    return signedInBy('a ChatGPT account (codex login)');
  // The keyring would ask its user.
  const inKeyring = /^\s*cli_auth_credentials_store\s*=\s*["'](keyring|auto)["']/m.test(config?.text ?? '');
  return inKeyring ? notKnown : notSignedIn;
}

interface Provider {
  readonly name: string;
  /** The variable that holds its key, if the settings name one. */
  readonly variable?: string;
}

/** The provider that the settings choose in place of OpenAI. Only the plain form is read; every other one is not told. */
function providerIn(toml: string): Provider | undefined {
  const top = toml.split(/^\s*\[/m)[0] ?? '';
  const name = /^\s*model_provider\s*=\s*["']([^"']*)["']/m.exec(top)?.[1];
  if (name === undefined || name === 'openai') return undefined;
  const tables = toml.split(/^(?=\s*\[)/m);
  const table = tables.find((part) => headOf(part) === name);
  const variable = /^\s*env_key\s*=\s*["']([^"']+)["']/m.exec(table ?? '')?.[1];
  return variable === undefined ? { name } : { name, variable };
}

function headOf(table: string): string | undefined {
  return /^\s*\[\s*model_providers\s*\.\s*["']?([^"'\]]+?)["']?\s*\]/.exec(table)?.[1];
}

function ofProvider({ name, variable }: Provider, env: Environment): FoundCredentials {
  // It may need no key (a model on this machine), or get one in another way.
  if (variable === undefined) return { signedIn: 'unknown', credentials: `the provider ${name}` };
  return given(env[variable]) === undefined ? notSignedIn : signedInBy(`${variable} (the provider ${name})`);
}
