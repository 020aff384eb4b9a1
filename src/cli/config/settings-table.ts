import { join } from 'node:path';
import type { SettingInUse } from '../../config/settings-in-use.js';
import { wholeLine } from '../../core/text.js';
import { cutToColumns, widthOf } from '../../core/width.js';

const hidden = '(set, not shown)';

/** A row for each setting, group by group; with `long` also a line on what it is for. */
export function settingsTable(settings: readonly SettingInUse[], home: string, long: boolean): string {
  const nameWidth = Math.max(...settings.map(({ name }) => name.length));
  const valueWidth = Math.min(24, Math.max(...settings.map((setting) => widthOf(shownValue(setting)))));
  const groups = [...new Set(settings.map(({ group }) => group))];
  return groups
    .map((group) => {
      const rows = settings
        .filter((setting) => setting.group === group)
        .flatMap((setting) => [
          `  ${setting.name.padEnd(nameWidth)}  ${valueAndOrigin(setting, valueWidth, home)}`,
          ...(setting.problem === undefined ? [] : [`    WRONG: ${setting.problem}`]),
          ...(long ? [`    ${setting.description}`] : []),
        ]);
      return `${[group, ...rows].join('\n')}\n`;
    })
    .join('\n');
}

function valueAndOrigin(setting: SettingInUse, width: number, home: string): string {
  const { value, otherwise } = setting;
  // What is found at run time is told in words, which need the room of both columns.
  if (value === undefined && otherwise !== undefined) return `default: ${otherwise}`;
  const whole = shownValue(setting);
  const cut = process.stdout.isTTY ? cutToColumns(whole, width) : whole;
  return `${cut}${' '.repeat(Math.max(0, width - widthOf(cut)))}  ${originOf(setting, home)}`;
}

function shownValue({ value, defaultValue, isSecret }: SettingInUse): string {
  if (value === undefined) return defaultValue ?? '-';
  return isSecret ? hidden : wholeLine(value);
}

function originOf({ origin, file, defaultValue, inChat }: SettingInUse, home: string): string {
  if (origin === 'file') return file === undefined ? 'file' : file.replace(join(home, '/'), '');
  if (origin !== 'default') return origin;
  if (inChat !== undefined) return `default; chat: ${inChat}`;
  return defaultValue === undefined ? 'not set' : 'default';
}
