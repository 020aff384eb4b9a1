import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { readBackendName } from '../../backends/registry.js';
import { editConfigFile, readConfigFile } from '../../config/edit-config-file.js';
import { trustedHome } from '../../config/home-directory.js';
import { readEnvironment } from '../../config/read-environment.js';
import { fileSetting, secretNames } from '../../config/secrets.js';
import { settingKey } from '../../config/setting-name.js';
import { TurnoutError } from '../../core/errors.js';
import { wholeLine } from '../../core/text.js';
import { readRunnerName } from '../../runner/runner-names.js';
import { print } from '../command/print.js';
import { say } from '../output/say.js';
import type { ConfigOptions } from './config.js';
import { settingNamed } from './setting-named.js';
import { valueProblem } from './value-problem.js';

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
  const { settings: inFile } = await readConfigFile(home);
  refuseBoth(name, inFile);
  const { path, changed } = await editConfigFile(home, { [name]: kept });
  const notes = [
    ...(isSecret(name) && value !== '-' ? [inHistory(name)] : []),
    ...missingPlace(name, kept),
    ...ofAnotherBackend(name, kept, inFile),
    ...(await stronger(name, path)),
  ];
  const shown = isSecret(name) ? name : `${name}=${wholeLine(kept)}`;
  return tell(
    json,
    { name, path, changed: changed.length > 0, notes },
    changed.length === 0 ? `${shown} was in ${path} already.` : `${shown} is in ${path} now.`,
  );
}

/** Takes a setting out of config.yaml, or a name there that is none. */
export async function removeSetting(written: string, { json }: ConfigOptions): Promise<number> {
  const home = trustedHome(process.env);
  const { problems } = await readConfigFile(home);
  const stranger = problems.find((problem) => problem.isUnknown && problem.name === settingKey(written));
  const name = stranger?.name ?? settingNamed(written);
  const { path, changed } = await editConfigFile(home, { [name]: undefined });
  const notes = await stronger(name, path);
  const isGone = changed.length > 0;
  const shown = stranger?.written ?? name;
  return tell(
    json,
    { name: shown, path, changed: isGone, notes },
    isGone ? `${shown} is no more in ${path}.` : `${shown} was not in ${path}.`,
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
  const problem = valueProblem(name, value);
  if (problem !== undefined) throw refuse(problem);
  // `Codex-CLI` is written as it is called.
  if (name === 'AGENT_BACKEND') return readBackendName(value);
  if (name === 'FORGE_BACKEND') return readRunnerName(value);
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
          `${other}=${wholeLine(inFile[other] ?? '')} is used for ${value} now; if it is another CLI's: turnout config unset ${other}`,
        ],
  );
}

function inHistory(name: string): string {
  return `the value may be in your shell's history: \`turnout config set ${name} -\` reads it from stdin.`;
}

/** An agent can't be started in a directory that is not there; it may be made later. */
function missingPlace(name: string, value: string): readonly string[] {
  if (name !== 'WORKING_DIR' || statSync(value, { throwIfNoEntry: false })?.isDirectory()) return [];
  return [`${wholeLine(value)} is not there: no turn runs until it is.`];
}

/** Settings of the environment and of `.env` are stronger than those of config.yaml. What else is wrong in a file is told, too. */
async function stronger(name: string, path: string): Promise<readonly string[]> {
  const { origins, problems } = await readEnvironment({
    environment: process.env,
    command: 'none',
    wrongFiles: 'report',
  });
  const left = problems.map(({ explanation }) => explanation);
  const origin = origins[name];
  if (origin === undefined || origin === `in ${path}`) return left;
  return [`${name} ${origin} is stronger than config.yaml.`, ...left];
}
