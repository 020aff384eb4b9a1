import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configFileIn } from '../../config/edit-config-file.js';
import { trustedHome } from '../../config/home-directory.js';
import { type SettingInUse, settingsInUse } from '../../config/settings-in-use.js';
import { exitCodes } from '../../core/exit-codes.js';
import { print } from '../command/print.js';
import { columnsOf, cutToColumns, plainLine } from '../output/one-row.js';
import { say } from '../output/say.js';
import type { ConfigOptions } from './config.js';
import { settingNamed } from './setting-named.js';

/** Every setting with its value, and where that comes from. */
export async function listSettings({ json }: ConfigOptions): Promise<number> {
  const settings = await settingsInUse({ environment: process.env });
  if (json) return print(`${JSON.stringify(settings.map(shown), null, 2)}\n`);
  const home = trustedHome(process.env);
  const nameWidth = Math.max(...settings.map(({ name }) => name.length));
  const rows = settings.map((setting) => ({ setting, value: shownValue(setting) ?? '-' }));
  const valueWidth = Math.min(24, Math.max(...rows.map(({ value }) => columnsOf(value))));
  const lines = rows.flatMap(({ setting, value }) => {
    const cut = process.stdout.isTTY ? cutToColumns(value, valueWidth) : value;
    const padding = ' '.repeat(Math.max(0, valueWidth - columnsOf(cut)));
    const from = originOf(setting, home);
    const line = `${setting.name.padEnd(nameWidth)}  ${cut}${padding}  ${from}\n`;
    return setting.problem === undefined ? [line] : [line, `  wrong: ${setting.problem}\n`];
  });
  return print(
    `${lines.join('')}\nturnout config set <name> <value> keeps one in ${configFileIn(home)}\n` +
      'turnout config get <name> --json says what it is for\n',
  );
}

/** Prints the value alone, for scripts. */
export async function getSetting(written: string, { json }: ConfigOptions): Promise<number> {
  const name = settingNamed(written);
  const setting = (await settingsInUse({ environment: process.env })).find((one) => one.name === name);
  if (setting === undefined) throw new Error(`${name} has no description`);
  if (json) return print(`${JSON.stringify(shown(setting), null, 2)}\n`);
  const value = shownValue(setting);
  if (setting.problem !== undefined) say(`${name}: ${setting.problem}`);
  if (value !== undefined) return print(`${value}\n`);
  const otherwise = setting.otherwise === undefined ? '' : `: ${setting.otherwise}`;
  say(`${name} is not set${otherwise}`);
  return exitCodes.failed;
}

export async function printPath({ json }: ConfigOptions): Promise<number> {
  const home = trustedHome(process.env);
  const path = configFileIn(home);
  const all = { path, exists: existsSync(path), home, envFile: join(home, '.env') };
  return print(json ? `${JSON.stringify(all, null, 2)}\n` : `${path}\n`);
}

const hidden = '(set, not shown)';

function shownValue({ value, defaultValue, isSecret }: SettingInUse): string | undefined {
  if (value === undefined) return defaultValue;
  return isSecret ? hidden : plainLine(value);
}

function originOf({ origin, file, defaultValue, otherwise }: SettingInUse, home: string): string {
  if (origin === 'file') return file === undefined ? 'file' : file.replace(join(home, '/'), '');
  if (origin !== 'default') return origin;
  return otherwise === undefined
    ? defaultValue === undefined
      ? 'not set'
      : 'default'
    : `default: ${otherwise}`;
}

/** A setting as JSON. A secret's value is left out. */
function shown({ value, isSecret, ...setting }: SettingInUse) {
  return {
    ...setting,
    isSecret,
    isSet: value !== undefined,
    ...(value === undefined || isSecret ? {} : { value }),
  };
}
