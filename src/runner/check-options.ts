import { TurnoutError } from '../core/errors.js';
import { checkValues } from './check-values.js';
import { givenOptions, withoutOption } from './given-options.js';
import { namedOption, type OptionName } from './option-names.js';
import { type ModeSupport, modeSupport, type Refusal } from './option-table.js';
import type { RunMode } from './run-mode.js';
import { stricterMode } from './stricter-mode.js';
import type { RunnerName, RunnerOptions } from './types.js';

export type { RunMode } from './run-mode.js';

/** The options that are left, and what was left out. */
export interface CheckedOptions {
  /** Paths in it are absolute. */
  readonly options: RunnerOptions;
  /** One sentence for each option that the backend can't honour: empty unless `allowUnsupported` is set. */
  readonly warnings: readonly string[];
}

/**
 * Throws a TurnoutError (`unsupported`) that names the first option that the backend can't honour in this mode, the backend,
 * and the way out. With `allowUnsupported` such options are left out instead, and told. A value that is wrong for every
 * backend is a `bad_request`. Nothing is started.
 */
export async function checkOptions(
  name: RunnerName,
  given: RunnerOptions,
  mode: RunMode,
): Promise<CheckedOptions> {
  let options = await checkValues(name, given);
  const support = await modeSupport(name, mode);
  const warnings: string[] = [];
  for (const { option, value } of givenOptions(name, options)) {
    const found = support.of(option, value);
    if (found.type !== 'refused') continue;
    if (!options.allowUnsupported)
      throw refusalError(support, option, await withLiveWay(support, option, value, found));
    const left = leaveOut(options, support, option, found);
    options = left.options;
    warnings.push(left.warning);
  }
  return { options, warnings };
}

/** The options that were given, by what becomes of them, each in a few words; for plans. Rejects if a value is wrong. */
export async function describeSupport(
  name: RunnerName,
  given: RunnerOptions,
  mode: RunMode,
): Promise<{ native: string[]; emulated: string[]; refused: string[] }> {
  const options = await checkValues(name, given);
  const support = await modeSupport(name, mode);
  const described = { native: [] as string[], emulated: [] as string[], refused: [] as string[] };
  for (const { option, value } of givenOptions(name, options)) {
    const found = support.of(option, value);
    if (found.type !== 'refused') described[found.type].push(`${option} (${found.how})`);
    else described.refused.push(`${option}: ${withValue(found)}${found.instead}`);
  }
  return described;
}

function withValue({ value }: Refusal): string {
  return value === undefined ? '' : `${JSON.stringify(value)} is not possible. `;
}

/** Some CLIs take an option only in a process that is kept. */
async function withLiveWay(
  { name, mode }: ModeSupport,
  option: OptionName,
  value: unknown,
  found: Refusal,
): Promise<Refusal> {
  if (mode !== 'one-shot') return found;
  const live = await modeSupport(name, 'live').catch(() => undefined);
  if (live === undefined || live.of(option, value).type === 'refused') return found;
  return { ...found, instead: `${found.instead} A live session (--live) takes it.` };
}

function refusalError(support: ModeSupport, option: OptionName, found: Refusal): TurnoutError {
  return new TurnoutError('unsupported', describeRefusal(support, option, found), {
    hint: 'To run without it: allowUnsupported (--allow-unsupported).',
  });
}

/** Says which option, of which backend, and the way out. */
function describeRefusal(support: ModeSupport, option: OptionName, found: Refusal): string {
  return `${whatIsRefused(support, option, found)}. ${found.instead}`;
}

function whatIsRefused({ name, mode }: ModeSupport, option: OptionName, { value }: Refusal): string {
  const where = { 'one-shot': '', live: ' in a live session', interactive: ' in its terminal UI' }[mode];
  const what = value === undefined ? namedOption(option) : `${namedOption(option)} ${JSON.stringify(value)}`;
  return `${name} does not support ${what}${where}`;
}

function leaveOut(
  options: RunnerOptions,
  support: ModeSupport,
  option: OptionName,
  found: Refusal,
): { readonly options: RunnerOptions; readonly warning: string } {
  const what = whatIsRefused(support, option, found);
  if (option !== 'permissionMode' || options.permissionMode === undefined)
    return { options: withoutOption(options, option), warning: `${what}: it is left out. ${found.instead}` };
  // Without a mode everything would be allowed: that is never what somebody meant who asked for less.
  const stricter = stricterMode(options.permissionMode, (mode) => {
    return support.of('permissionMode', mode).type !== 'refused';
  });
  if (stricter === undefined) throw refusalError(support, option, found);
  return {
    options: { ...options, permissionMode: stricter },
    warning: `${what} ${JSON.stringify(options.permissionMode)}: "${stricter}" is used, which allows less.`,
  };
}
