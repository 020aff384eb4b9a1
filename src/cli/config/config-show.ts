import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configFileIn } from '../../config/edit-config-file.js';
import { trustedHome } from '../../config/home-directory.js';
import { type SettingInUse, type SettingsInUse, settingsInUse } from '../../config/settings-in-use.js';
import { exitCodes } from '../../core/exit-codes.js';
import { wholeLine } from '../../core/text.js';
import { print } from '../command/print.js';
import { say } from '../output/say.js';
import type { ConfigOptions } from './config.js';
import { settingNamed } from './setting-named.js';
import { settingsTable } from './settings-table.js';
import { valueProblem } from './value-problem.js';

/** Every setting with its value, and where that comes from. A file that is wrong is told, and what can be read of it is shown. */
export async function listSettings({ json, long }: ConfigOptions): Promise<number> {
  const { settings, problems } = await settingsNow();
  const code = problems.length > 0 ? exitCodes.usage : exitCodes.done;
  if (json) return print(`${JSON.stringify(settings.map(shown), null, 2)}\n`, code);
  const home = trustedHome(process.env);
  return print(
    `${settingsTable(settings, home, long)}\nturnout config set <name> <value> keeps one in ${configFileIn(home)}\n${
      long ? '' : 'turnout config list --long says what each is for\n'
    }`,
    code,
  );
}

/** Prints the value alone, for scripts. A secret is not printed: a script would take what stands in its place for the secret. */
export async function getSetting(written: string, { json }: ConfigOptions): Promise<number> {
  const name = settingNamed(written);
  const { settings, problems } = await settingsNow();
  const setting = settings.find((one) => one.name === name);
  if (setting === undefined) throw new Error(`${name} has no description`);
  const isWrong = setting.problem !== undefined || problems.length > 0;
  const code = isWrong ? exitCodes.usage : exitCodes.done;
  if (json) return print(`${JSON.stringify(shown(setting), null, 2)}\n`, code);
  if (setting.problem !== undefined) say(`${name}: ${setting.problem}`);
  const value = setting.value ?? setting.defaultValue;
  if (value !== undefined && !setting.isSecret) return print(`${wholeLine(value)}\n`, code);
  const otherwise = setting.otherwise === undefined ? '' : `: ${setting.otherwise}`;
  say(`${name} ${value === undefined ? `is not set${otherwise}` : 'is set; a secret is not shown.'}`);
  return isWrong ? code : exitCodes.failed;
}

export async function printPath({ json }: ConfigOptions): Promise<number> {
  const home = trustedHome(process.env);
  const path = configFileIn(home);
  const all = { path, exists: existsSync(path), home, envFile: join(home, '.env') };
  return print(json ? `${JSON.stringify(all, null, 2)}\n` : `${path}\n`);
}

async function settingsNow(): Promise<SettingsInUse> {
  const found = await settingsInUse({ environment: process.env }, valueProblem);
  for (const { explanation } of found.problems) say(explanation);
  return found;
}

/** A setting as JSON. A secret's value is left out. */
function shown({ value, isSecret, ...setting }: SettingInUse) {
  const counts = isSecret ? undefined : (value ?? setting.defaultValue);
  return {
    ...setting,
    isSecret,
    isSet: value !== undefined,
    ...(counts === undefined ? {} : { value: counts }),
  };
}
