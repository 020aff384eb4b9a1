import { dirname, isAbsolute, join, resolve } from 'node:path';
import { TurnoutError } from '../core/errors.js';
import { fileWarnings } from './file-warnings.js';
import { shortBackendName } from './formats.js';
import { type Environment, given, notAbsolute, trustedHome } from './home-directory.js';
import { fileSetting, secretNames } from './secrets.js';
import { fromEnvironment, fromFlags, type SettingOrigins, settingsNotUsed } from './setting-origins.js';
import { readTrustedFile, refuseLookAlikes } from './trusted-file.js';
import { type SettingUser, usesSetting } from './used-settings.js';

export interface SettingsSources {
  readonly environment: Environment;
  /** The settings of command-line flags. */
  readonly flags?: Environment;
  /** A file in the format of `.env` that the user named. */
  readonly envFile?: string | undefined;
  /** The command that the settings are for: it does not look at those of others. Default: the gateway, which has all. */
  readonly command?: SettingUser;
  /** What becomes of a file in TURNOUT_HOME that is wrong: `report` takes what can be read of it. Default: it is refused. */
  readonly wrongFiles?: 'refuse' | 'report';
}

export interface ReadEnvironment {
  /** All settings: `config.yaml`, `.env`, the file that the user named, the environment, the flags, in rising order. */
  readonly settings: Environment;
  /** The environment for the agents: that of this process and of the `.env` files, with TURNOUT_HOME. */
  readonly inherited: Environment;
  readonly origins: SettingOrigins;
  /** The backend that a restriction was set for, if a stronger source names another one. */
  readonly restrictedFor: string | undefined;
  /** Settings that were left out, by name. */
  readonly warnings: readonly string[];
  /** What is wrong in the files of TURNOUT_HOME, if that is to be reported. */
  readonly problems: readonly TurnoutError[];
}

/**
 * Reads the settings of a command. None of them comes from the working directory, which belongs to a repository or
 * an agent: they choose programs.
 */
export async function readEnvironment(sources: SettingsSources): Promise<ReadEnvironment> {
  const { flags = {}, envFile, command = 'gateway' } = sources;
  const environment = beginningAt(process.cwd(), sources.environment, [ofShell]);
  const named = envFile === undefined ? {} : await readNamedFile(resolve(envFile));
  const home = trustedHome({ ...named, ...withoutBlanks(environment), ...flags });
  const [configFile, envOfHome] = [join(home, 'config.yaml'), join(home, '.env')];
  const problems: TurnoutError[] = [];
  const refuse = (problem: TurnoutError) => {
    if (sources.wrongFiles !== 'report') throw problem;
    problems.push(problem);
  };
  await unlessWrong(() => refuseLookAlikes(home), refuse);
  const config = (await unlessWrong(() => readConfigFile(configFile, refuse), refuse)) ?? {};
  const env = (await unlessWrong(() => readEnvFile(envOfHome), refuse)) ?? {};
  for (const [file, settings] of [
    ['config.yaml', config],
    ['.env', env],
  ] as const) {
    if (given(settings['TURNOUT_HOME']) !== undefined) refuse(homeInItself(join(home, file)));
  }
  refuseRelative(environment, command);
  const files = { ...beginningAt(home, env), ...named };
  const inherited: Record<string, string | undefined> = { ...files, ...environment, TURNOUT_HOME: home };
  // An agent's CLI, too, would look for its settings in the working directory.
  if (!isAbsolute(inherited['HOME'] ?? '')) delete inherited['HOME'];
  // An empty value is not set, so it takes no restriction of a weaker source away.
  const inRisingOrder: readonly Source[] = [
    { origin: `in ${configFile}`, settings: beginningAt(home, config) },
    { origin: `in ${envOfHome}`, settings: beginningAt(home, env) },
    { origin: `in ${resolve(envFile ?? '')}`, settings: named },
    { origin: fromEnvironment, settings: environment },
    { origin: fromFlags, settings: flags },
  ];
  const { settings, origins, restrictedFor, warnings: ofMerge } = merge(inRisingOrder);
  const warnings = [
    ...ofMerge,
    ...fileWarnings(configFile, config),
    ...fileWarnings(envOfHome, env),
    ...(envFile === undefined ? [] : fileWarnings(resolve(envFile), named)),
  ];
  const all = { ...settings, TURNOUT_HOME: home };
  return { settings: all, inherited, origins, restrictedFor, warnings, problems };
}

interface Source {
  readonly origin: string;
  readonly settings: Environment;
}

/**
 * Merges sources in rising order. A path and a model belong to the backend that is named with them or in a weaker source, to
 * Claude if none is: a stronger source that names another backend leaves them out.
 */
function merge(
  sources: readonly Source[],
): Pick<ReadEnvironment, 'settings' | 'origins' | 'warnings' | 'restrictedFor'> {
  let settings: Record<string, string | undefined> = {};
  const origins: Record<string, string> = {};
  const warnings: string[] = [];
  const restricted: Record<string, string | undefined> = {};
  for (const { origin, settings: written } of sources) {
    const source = withoutBlanks(written);
    const owner = namedBackend(settings) ?? 'claude';
    const backend = namedBackend({ ...settings, ...source }) ?? owner;
    if (backend !== owner) {
      const left = ['BACKEND_CLI_PATH', 'BACKEND_MODEL'].filter((name) => settings[name] !== undefined);
      const lost = left.filter((name) => source[name] === undefined);
      if (lost.length > 0) warnings.push(settingsNotUsed(lost, owner, backend));
      for (const name of left) delete settings[name];
    }
    settings = { ...settings, ...source };
    for (const name of Object.keys(source)) origins[name] = origin;
    for (const name of restrictions)
      if (Object.hasOwn(source, name)) restricted[name] = namedBackend(settings);
  }
  const owners = Object.values(restricted).filter((owner) => owner !== undefined);
  return {
    settings,
    origins,
    warnings,
    restrictedFor: owners.find((owner) => owner !== namedBackend(settings)),
  };
}

/** Another backend than the one that they were set for is refused, if it can't keep them. */
const restrictions = ['ALLOWED_TOOLS', 'BACKEND_MAX_TURNS'];

function namedBackend(settings: Environment): string | undefined {
  const written = settings['AGENT_BACKEND'];
  return written === undefined ? undefined : shortBackendName(written);
}

/** Paths of what is obeyed. A relative one in the environment would begin in whatever repository a command is started in. */
const trustedPaths = ['CONFIG_DIR', ...secretNames.map(fileSetting)];

/** A program of a person's own, which begins where the person's shell is. It may also be a name on PATH. */
const ofShell = 'BACKEND_CLI_PATH';

const paths = ['TURNOUT_HOME', 'WORKING_DIR', ofShell, ...trustedPaths];

function refuseRelative(environment: Environment, command: SettingUser): void {
  for (const name of trustedPaths) {
    if (!usesSetting(command, name)) continue;
    const value = given(environment[name]);
    if (value !== undefined && relativePath(name, value) !== undefined) throw notAbsolute(name, value);
  }
}

/** Why a value in the environment is refused by the commands that use it, if it is a relative path. */
export function relativePath(name: string, value: string): string | undefined {
  const isRefused = trustedPaths.includes(name) && isRelative(name, value);
  return isRefused ? 'expected an absolute path' : undefined;
}

/** A relative path in a file begins at the file's directory; `names` are those that are paths. */
function beginningAt(
  directory: string,
  settings: Environment,
  names: readonly string[] = paths,
): Record<string, string | undefined> {
  const absolute = names.flatMap((name) => {
    const value = given(settings[name]);
    return value !== undefined && isRelative(name, value) ? [[name, resolve(directory, value)]] : [];
  });
  return { ...settings, ...Object.fromEntries(absolute) };
}

function isRelative(name: string, value: string): boolean {
  return !isAbsolute(value) && (name !== ofShell || /[\\/]/.test(value));
}

async function readNamedFile(path: string): Promise<Record<string, string | undefined>> {
  const text = readTrustedFile(path);
  if (text === undefined) {
    throw new TurnoutError('bad_request', `The settings file ${path} is not there.`, {
      hint: 'Name one with --settings-file, or leave it out.',
    });
  }
  return beginningAt(dirname(path), await parseEnvFile(path, text));
}

// A reader of a file is loaded only where there is such a file: every command comes through here.

async function readConfigFile(path: string, refuse: (problem: TurnoutError) => void): Promise<Environment> {
  const text = readTrustedFile(path);
  if (text === undefined) return {};
  const { readConfigText, wrongConfigFile } = await import('./config-file.js');
  const { settings, problems } = readConfigText(text);
  if (problems.length > 0) refuse(wrongConfigFile(path, problems));
  return settings;
}

async function readEnvFile(path: string): Promise<Environment> {
  const text = readTrustedFile(path);
  return text === undefined ? {} : parseEnvFile(path, text);
}

async function parseEnvFile(path: string, text: string): Promise<Record<string, string | undefined>> {
  return (await import('./env-file.js')).parseEnvFile(path, text);
}

async function unlessWrong<T>(
  read: () => T | Promise<T>,
  refuse: (problem: TurnoutError) => void,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    refuse(error);
    return undefined;
  }
}

function homeInItself(file: string): TurnoutError {
  return new TurnoutError('bad_request', `TURNOUT_HOME is set in ${file}, which is a file of TURNOUT_HOME.`, {
    hint: 'Set it in the environment, or with --home.',
  });
}

function withoutBlanks(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => given(value) !== undefined));
}
