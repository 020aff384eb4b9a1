import {
  type OptionCapabilities,
  type UnsupportedOption,
  unsupportedOptions,
} from '../backends/launch/check-request.js';
import { asMadeHint } from '../backends/one-shot/with-events.js';
import type { EventBackend, TurnOptions } from '../backends/types.js';
import { TurnoutError } from '../core/errors.js';
import { type OptionName, optionNames } from './option-names.js';
import { type Way, wayOf } from './option-ways.js';
import type { RunMode } from './run-mode.js';
import { runnerBackend, runnerConfig } from './runner-config.js';
import { codexSdk, settingsOwner } from './runner-names.js';
import type { RunnerName } from './types.js';

/** What becomes of an option: the CLI has it itself, gets it in another form, or can't honour it. */
export type Support = Way | Refusal;

export interface Refusal {
  readonly type: 'refused';
  /** The value that is not possible, if others are. */
  readonly value?: string | number;
  /** What to do instead. */
  readonly instead: string;
}

/** O3, O4: one runner in one mode. */
export interface ModeSupport {
  readonly name: RunnerName;
  readonly mode: RunMode;
  /** Without a value, the option as such. */
  of(option: OptionName, value?: unknown): Support;
}

/**
 * The one table of options: what a runner can do in a mode is what its backend declares, and runs by. Rejects with
 * `unsupported` if it does not have the mode. Nothing is started.
 */
export async function modeSupport(name: RunnerName, mode: RunMode): Promise<ModeSupport> {
  const backend = runnerBackend(name, runnerConfig(name));
  const capabilities = await capabilitiesIn(backend, mode);
  if (capabilities === undefined) throw withoutMode(name, mode);
  const of = (option: OptionName, value?: unknown) =>
    refusal({ name, mode, backend, capabilities }, option, value) ?? wayOf(name, mode, option);
  return { name, mode, of };
}

/** Every row of the table for one runner in one mode; undefined if it does not have the mode. */
export async function supportTable(
  name: RunnerName,
  mode: RunMode,
): Promise<Readonly<Record<OptionName, Support>> | undefined> {
  const support = await modeSupport(name, mode).catch((error: unknown) => {
    if (error instanceof TurnoutError && error.code === 'unsupported') return undefined;
    throw error;
  });
  if (support === undefined) return undefined;
  return Object.fromEntries(optionNames.map((option) => [option, support.of(option)])) as Record<
    OptionName,
    Support
  >;
}

async function capabilitiesIn(backend: EventBackend, mode: RunMode): Promise<OptionCapabilities | undefined> {
  if (mode === 'one-shot') return backend.capabilities;
  if (mode === 'interactive') return (await backend.interactive?.())?.capabilities;
  return (await backend.live?.())?.capabilities;
}

interface Facts {
  readonly name: RunnerName;
  readonly mode: RunMode;
  readonly backend: EventBackend;
  readonly capabilities: OptionCapabilities;
}

function refusal(facts: Facts, option: OptionName, value: unknown): Refusal | undefined {
  const { name, mode, backend, capabilities } = facts;
  switch (option) {
    case 'providerOptions':
    case 'rawArgs': {
      const way = option === 'rawArgs' ? '' : ' of its own';
      if (mode === 'live' && !capabilities.rawArgs)
        return refused(`A process that is kept takes no arguments${way}: run the turn without --live.`);
      if (capabilities.asMade) return refused(asMadeHint);
      // The SDK makes the arguments of its CLI itself.
      return name === codexSdk ? refused('Use codex, which drives the CLI without the SDK.') : undefined;
    }
    case 'model':
    case 'cwd':
      // A value may be the one that it was made with: the turn itself refuses another.
      return capabilities.asMade && value === undefined ? refused(asMadeHint) : undefined;
    case 'continueLast':
      return backend.lastSession === undefined ? refused('Name the session (--resume).') : undefined;
    default: {
      const request = requestFor(option, value, capabilities);
      const [first] =
        request === undefined ? [] : unsupportedOptions(settingsOwner(name), capabilities, request);
      return first === undefined ? undefined : refusedOption(first);
    }
  }
}

/** The request that asks for this option alone. Undefined for the options that every backend takes. */
function requestFor(
  option: OptionName,
  value: unknown,
  capabilities: OptionCapabilities,
): TurnOptions | undefined {
  switch (option) {
    case 'maxTurns':
      return { maxTurns: 1 };
    case 'tools.allowed':
      return { allowedTools: ['any'] };
    case 'tools.disallowed':
      return { disallowedTools: ['any'] };
    case 'settings':
      return { settings: 'any' };
    case 'mcpConfig':
      return { mcpConfig: 'any' };
    case 'permissionMode':
      return { permissionMode: (value ?? capabilities.permissionModes[0]) as TurnOptions['permissionMode'] };
    case 'thinking':
      return { thinking: (value ?? aDepth(capabilities)) as TurnOptions['thinking'] };
    default:
      return undefined;
  }
}

function aDepth({ thinkingDepth: [first = 'high'] = [] }: OptionCapabilities): TurnOptions['thinking'] {
  return first === 'tokens' ? 1 : first;
}

function refusedOption({ value, instead }: UnsupportedOption): Refusal {
  return { ...refused(instead), ...(value === undefined ? {} : { value }) };
}

function refused(instead: string): Refusal {
  return { type: 'refused', instead };
}

function withoutMode(name: RunnerName, mode: RunMode): TurnoutError {
  if (mode === 'live')
    return new TurnoutError('unsupported', `${name} does not support live sessions (--live).`, {
      hint: 'Leave --live out: then each turn runs by itself.',
    });
  return new TurnoutError('unsupported', `${name} does not support a terminal UI (runInteractive).`, {
    hint: 'Use runOnce or runStreaming (`turnout run`), or a backend with a terminal UI.',
  });
}
