import { dirname, join } from 'node:path';
import { given, userHome } from '../../config/home-directory.js';
import {
  type Environment,
  type FoundCredentials,
  firstSet,
  isKey,
  isOn,
  notKnown,
  notSignedIn,
  readObject,
  readText,
  signedInBy,
} from '../launch/credentials.js';
import { object, text } from '../output/read-fields.js';

/** Looks where Gemini CLI itself looks for a key or an account (0.61.0). */
export async function findCredentials(inherited: Environment, cwd: string): Promise<FoundCredentials> {
  const home = inherited['GEMINI_CLI_HOME'] || userHome(inherited);
  const folder = join(home, '.gemini');
  const env = { ...(await variablesInFiles(cwd, home)), ...withoutBlanks(inherited) };
  const settings = await readObject(join(folder, 'settings.json'));
  if (settings === 'unreadable') return notKnown;
  const auth = object(object(object(settings)['security'])['auth']);
  const chosen =
    text(auth['selectedType']) || text(object(settings)['selectedAuthType']) || fromVariables(env);
  switch (chosen) {
    case 'gemini-api-key':
      return ofKey(env, folder);
    case 'vertex-ai':
      return ofVertex(env, home);
    case 'oauth-personal':
    case 'login-with-google':
      return ofAccount(env, folder);
    case '':
      // Without a choice an account that was used once is not used: Gemini ends with 41.
      return notSignedIn;
    default:
      return { signedIn: 'unknown', credentials: chosen };
  }
}

/** What Gemini chooses where the settings don't. */
function fromVariables(env: Environment): string {
  if (isOn(env['GOOGLE_GENAI_USE_GCA'])) return 'oauth-personal';
  if (isOn(env['GOOGLE_GENAI_USE_VERTEXAI'])) return 'vertex-ai';
  return given(env['GEMINI_API_KEY']) === undefined ? '' : 'gemini-api-key';
}

async function ofKey(env: Environment, folder: string): Promise<FoundCredentials> {
  if (given(env['GEMINI_API_KEY']) !== undefined) return signedInBy('GEMINI_API_KEY');
  // A key that was typed into Gemini's dialog is in the keychain, or in a file that only Gemini can read.
  const stored = await readText(join(folder, 'gemini-credentials.json'));
  return stored === undefined && process.platform !== 'darwin' ? notSignedIn : notKnown;
}

async function ofVertex(env: Environment, home: string): Promise<FoundCredentials> {
  const variable = firstSet(env, ['GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS']);
  if (variable !== undefined) return signedInBy(`${variable} (Vertex AI)`);
  const login = await readText(join(home, '.config', 'gcloud', 'application_default_credentials.json'));
  // On a machine of Google's the account is the machine's.
  return login === undefined
    ? { signedIn: 'unknown', credentials: 'Vertex AI' }
    : signedInBy('gcloud (Vertex AI)');
}

async function ofAccount(env: Environment, folder: string): Promise<FoundCredentials> {
  const account = await readObject(join(folder, 'oauth_creds.json'));
  const { refresh_token: refresh, access_token: access } = object(account);
  if (isKey(refresh) || isKey(access)) return signedInBy('a Google account');
  const elsewhere =
    isOn(env['GEMINI_FORCE_ENCRYPTED_FILE_STORAGE']) || isOn(env['GEMINI_CLI_USE_COMPUTE_ADC']);
  return account === 'unreadable' || elsewhere ? notKnown : notSignedIn;
}

const names = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'];

/** Gemini reads the nearest `.gemini/.env` or `.env`, from its directory upwards, else that of the home. */
async function variablesInFiles(cwd: string, home: string): Promise<Environment> {
  const folders = [...ancestors(cwd), home];
  for (const file of folders.flatMap((folder) => [join(folder, '.gemini', '.env'), join(folder, '.env')])) {
    const read = await readText(file);
    if (read === undefined || read === 'unreadable') continue;
    const set = names.map((name) => [name, valueIn(read.text, name)] as const);
    return Object.fromEntries(set.filter(([, value]) => value !== ''));
  }
  return {};
}

function valueIn(file: string, name: string): string {
  const found = new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=\\s*(.*)$`, 'm').exec(file)?.[1] ?? '';
  return found.trim().replace(/^(["'])(.*)\1$/, '$2');
}

function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

function withoutBlanks(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => given(value) !== undefined));
}
