import { type OptionName, optionNames } from './option-names.js';
import type { RunnerName, RunnerOptions } from './types.js';

export interface GivenOption {
  readonly option: OptionName;
  readonly value: unknown;
}

/** The options that were given, in the order of the table. An empty list, or an empty system prompt, asks for nothing. */
export function givenOptions(name: RunnerName, options: RunnerOptions): readonly GivenOption[] {
  return optionNames
    .map((option) => ({ option, value: givenValue(name, options, option) }))
    .filter(({ value }) => !asksForNothing(value));
}

/** The options without this one. */
export function withoutOption(options: RunnerOptions, option: OptionName): RunnerOptions {
  switch (option) {
    case 'tools.allowed':
      return { ...options, tools: { ...options.tools, allowed: undefined } };
    case 'tools.disallowed':
      return { ...options, tools: { ...options.tools, disallowed: undefined } };
    default:
      return { ...options, [option]: undefined };
  }
}

function givenValue(name: RunnerName, options: RunnerOptions, option: OptionName): unknown {
  switch (option) {
    case 'tools.allowed':
      return options.tools?.allowed;
    case 'tools.disallowed':
      return options.tools?.disallowed;
    case 'providerOptions':
      // Those of other backends are not for this one.
      return options.providerOptions?.[name];
    default:
      return options[option];
  }
}

function asksForNothing(value: unknown): boolean {
  if (value === undefined || value === '' || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
