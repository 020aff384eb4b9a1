import type { RunnerName, RunnerOptions } from './types.js';

/**
 * The arguments for a CLI that its `providerOptions` stand for: `true` is a bare flag, `false` none, a list repeats the option.
 * A value is joined to its option: one that begins with a dash stays a value.
 */
export function providerArguments(
  name: RunnerName,
  { providerOptions = {} }: RunnerOptions,
): readonly string[] {
  return Object.entries(providerOptions[name] ?? {}).flatMap(([option, value]) => {
    if (typeof value === 'boolean') return value ? [`--${option}`] : [];
    const values: readonly (string | number)[] = typeof value === 'object' ? value : [value];
    return values.map((one) => `--${option}=${one}`);
  });
}
