import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { readBackendName } from '../../backends/registry.js';
import { editConfigFile, readConfigFile } from '../../config/edit-config-file.js';
import { trustedHome } from '../../config/home-directory.js';
import { readEnvironment } from '../../config/read-environment.js';
import { fileSetting, secretNames } from '../../config/secrets.js';
import { problemOf } from '../../config/settings.js';
import { TurnoutError } from '../../core/errors.js';
import { findUser } from '../../process/process-user.js';
import { print } from '../command/print.js';
import { plainLine } from '../output/one-row.js';
import { say } from '../output/say.js';
import type { ConfigOptions } from './config.js';
import { settingNamed } from './setting-named.js';

/** Writes a setting into config.yaml, if its value is right. */
export async function changeSetting(
  written: string,
  value: string,
  { json }: ConfigOptions,
): Promise<number> {
  const name = settingNamed(written);
  const given = value === '-' ? (await readAll(process.stdin)).replace(/\r?\n$/, '') : value;
  const kept = checked(name, given);
  const home = trustedHome(process.env);
  const inFile = await readConfigFile(home);
  refuseBoth(name, inFile);
  const { path, changed } = await editConfigFile(home, { [name]: kept });
  const notes = [...ofAnotherBackend(name, kept, inFile), ...(await stronger(name, path))];
  const shown = isSecret(name) ? name : `${name}=${plainLine(kept)}`;
  return tell(
    json,
    { name, path, changed: changed.length > 0, notes },
    changed.length === 0 ? `${shown} was in ${path} already.` : `${shown} is in ${path} now.`,
  );
}

/** Takes a setting out of config.yaml. */
export async function removeSetting(written: string, { json }: ConfigOptions): Promise<number> {
  const name = settingNamed(written);
  const { path, changed } = await editConfigFile(trustedHome(process.env), { [name]: undefined });
  const notes = await stronger(name, path);
  const isGone = changed.length > 0;
  return tell(
    json,
    { name, path, changed: isGone, notes },
    isGone ? `${name} is no more in ${path}.` : `${name} was not in ${path}.`,
  );
}

interface Told {
  readonly name: string;
  readonly path: string;
  readonly changed: boolean;
  readonly notes: readonly string[];
}

async function tell(json: boolean, result: Told, sentence: string): Promise<number> {
  const code = await print(json ? `${JSON.stringify(result, null, 2)}\n` : `${sentence}\n`);
  if (!json) for (const note of result.notes) say(note);
  return code;
}

/** The value as it is to be written. Throws if a start would refuse it. */
function checked(name: string, value: string): string {
  const shown = isSecret(name) ? name : `${name}=${JSON.stringify(value)}`;
  const refuse = (expected: string, hint?: string) =>
    new TurnoutError('bad_request', `${shown}: ${expected}`, { hint });
  if (value.trim() === '')
    throw refuse('a value is missing.', `To take it out: turnout config unset ${name}`);
  if (name === 'TURNOUT_HOME')
    throw refuse('config.yaml is a file of TURNOUT_HOME.', 'Set it in the environment.');
  if (name === 'AGENT_BACKEND' || name === 'FORGE_BACKEND') return readBackendName(value, name);
  if (name === 'BACKEND_MAX_TURNS' && !/^\s*[1-9]\d{0,14}\s*$/.test(value))
    throw refuse('expected a whole number from 1 up');
  const problem = problemOf(name, value);
  if (problem !== undefined) throw refuse(problem);
  if (name === 'AGENT_USER') {
    const user = findUser(value.trim());
    if ('problem' in user) throw refuse(user.problem);
  }
  return isPath(name, value) ? resolve(value) : value;
}

/** A path that is typed begins in this directory; one that stands in the file, in the file's. */
function isPath(name: string, value: string): boolean {
  if (name === 'BACKEND_CLI_PATH') return value.includes('/');
  return ['WORKING_DIR', 'CONFIG_DIR', ...secretNames.map(fileSetting)].includes(name);
}

function isSecret(name: string): boolean {
  return secretNames.some((secret) => secret === name);
}

/** The start refuses a secret that is there twice. */
function refuseBoth(name: string, inFile: Readonly<Record<string, string>>): void {
  for (const secret of secretNames) {
    const pair: readonly string[] = [secret, fileSetting(secret)];
    const other = pair.includes(name) ? pair.find((one) => one !== name && inFile[one]) : undefined;
    if (other !== undefined)
      throw new TurnoutError('bad_request', `${other} is in config.yaml: one of the two is enough.`, {
        hint: `First: turnout config unset ${other}`,
      });
  }
}

/** A path and a model belong to the backend that is named in the same file. */
function ofAnotherBackend(
  name: string,
  value: string,
  inFile: Readonly<Record<string, string>>,
): readonly string[] {
  if (name !== 'AGENT_BACKEND' || (inFile['AGENT_BACKEND'] ?? 'claude') === value) return [];
  return ['BACKEND_CLI_PATH', 'BACKEND_MODEL'].flatMap((other) =>
    inFile[other] === undefined
      ? []
      : [
          `${other}=${plainLine(inFile[other] ?? '')} is used for ${value} now; if it is another CLI's: turnout config unset ${other}`,
        ],
  );
}

/** Settings of the environment and of `.env` are stronger than those of config.yaml. */
async function stronger(name: string, path: string): Promise<readonly string[]> {
  const { origins } = await readEnvironment({ environment: process.env });
  const origin = origins[name];
  if (origin === undefined || origin === `in ${path}`) return [];
  return [`${name} ${origin} is stronger than config.yaml.`];
}
