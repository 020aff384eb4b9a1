import { dirname, isAbsolute, join, resolve } from 'node:path';
import { TurnoutError } from '../core/errors.js';
import { parseConfigFile } from './config-file.js';
import { parseEnvFile } from './env-file.js';
import { type Environment, given, notAbsolute, trustedHome } from './home-directory.js';
import { fileSetting, secretNames } from './secrets.js';
import { readTrustedFile, refuseLookAlikes } from './trusted-file.js';

export interface SettingsSources {
  readonly environment: Environment;
  /** The settings of command-line flags. */
  readonly flags?: Environment;
  /** A file in the format of `.env` that the user named. */
  readonly envFile?: string | undefined;
}

export interface ReadEnvironment {
  /** All settings: `config.yaml`, `.env`, the file that the user named, the environment, the flags, in rising order. */
  readonly settings: Environment;
  /** The environment for the agents: that of this process and of the `.env` files, with TURNOUT_HOME. */
  readonly inherited: Environment;
}

/**
 * Reads the settings of a command. None of them comes from the working directory, which belongs to a repository or
 * an agent: they choose programs.
 */
export async function readEnvironment(sources: SettingsSources): Promise<ReadEnvironment> {
  const { environment, flags = {}, envFile } = sources;
  const named = envFile === undefined ? {} : readNamedFile(resolve(envFile));
  const home = trustedHome({ ...named, ...withoutBlanks(environment), ...flags });
  const [configFile, envOfHome] = [join(home, 'config.yaml'), join(home, '.env')];
  const ofConfig = readTrustedFile(configFile);
  const ofHome = readTrustedFile(envOfHome);
  refuseLookAlikes(home);
  const config = ofConfig === undefined ? {} : await parseConfigFile(configFile, ofConfig);
  const env = ofHome === undefined ? {} : parseEnvFile(envOfHome, ofHome);
  for (const [file, settings] of [
    ['config.yaml', config],
    ['.env', env],
  ] as const) {
    if (given(settings['TURNOUT_HOME']) !== undefined) throw homeInItself(join(home, file));
  }
  refuseRelative(environment);
  const files = { ...beginningAt(home, env), ...named };
  const inherited: Record<string, string | undefined> = { ...files, ...environment, TURNOUT_HOME: home };
  // An agent's CLI, too, would look for its settings in the working directory.
  if (!isAbsolute(inherited['HOME'] ?? '')) delete inherited['HOME'];
  // An empty value is not set, so it takes no restriction of a weaker source away.
  const sourcesOfSettings = [beginningAt(home, config), beginningAt(home, env), named, environment, flags];
  return {
    settings: Object.assign({}, ...sourcesOfSettings.map(withoutBlanks), { TURNOUT_HOME: home }),
    inherited,
  };
}

/** Settings that are paths of programs and of what they obey. `BACKEND_CLI_PATH` may also be a name on PATH. */
const trustedPaths = ['BACKEND_CLI_PATH', 'CONFIG_DIR', ...secretNames.map(fileSetting)];

function refuseRelative(environment: Environment): void {
  for (const name of trustedPaths) {
    const value = given(environment[name]);
    if (value !== undefined && isRelative(name, value)) throw notAbsolute(name, value);
  }
}

/** A relative path in a file begins at the file's directory. */
function beginningAt(directory: string, settings: Environment): Record<string, string | undefined> {
  const paths = ['TURNOUT_HOME', 'WORKING_DIR', ...trustedPaths].flatMap((name) => {
    const value = given(settings[name]);
    return value !== undefined && isRelative(name, value) ? [[name, resolve(directory, value)]] : [];
  });
  return { ...settings, ...Object.fromEntries(paths) };
}

function isRelative(name: string, value: string): boolean {
  return !isAbsolute(value) && (name !== 'BACKEND_CLI_PATH' || /[\\/]/.test(value));
}

function readNamedFile(path: string): Record<string, string | undefined> {
  const text = readTrustedFile(path);
  if (text === undefined) {
    throw new TurnoutError('bad_request', `The settings file ${path} is not there.`, {
      hint: 'Name one with --settings-file, or leave it out.',
    });
  }
  return beginningAt(dirname(path), parseEnvFile(path, text));
}

function homeInItself(file: string): TurnoutError {
  return new TurnoutError('bad_request', `TURNOUT_HOME is set in ${file}, which is a file of TURNOUT_HOME.`, {
    hint: 'Set it in the environment, or with --home.',
  });
}

function withoutBlanks(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => given(value) !== undefined));
}
