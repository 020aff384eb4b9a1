import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { aModel, aThinkingDepth } from '../backends/launch/check-turn.js';
import {
  checkFields,
  checkVariables,
  type FieldRule,
  type FieldRules,
  isRecord,
  wrongValue,
} from '../core/check-fields.js';
import { TurnoutError } from '../core/errors.js';
import {
  aFunction,
  anAbortSignal,
  aPath,
  aText,
  isWord,
  milliseconds,
  oneOf,
  someArguments,
  someVariables,
  trueOrFalse,
  wholeNumberFrom,
} from '../core/field-rules.js';
import { permissionModes } from '../core/permission-mode.js';
import { isSessionName } from '../core/session-id.js';
import { checkMcpConfig, checkSettings } from './check-files.js';
import { checkProviderOptions } from './provider-options.js';
import type { RunnerName, RunnerOptions, ToolOptions } from './types.js';

/**
 * Throws a TurnoutError (`bad_request`) that names the first value which no backend could take, or an option that there is
 * not. Returns the options with absolute paths: they are relative to this process's directory, wherever the agent works.
 */
export async function checkValues(name: RunnerName, given: RunnerOptions): Promise<RunnerOptions> {
  if (!isRecord(given)) throw wrongValue('options', 'an object, such as {prompt: "…"}', given);
  checkFields<RunnerOptions>(given, rules);
  if (given.tools !== undefined) checkFields<ToolOptions>(given.tools, toolRules, 'tools.');
  checkVariables(given.env, 'env');
  if (given.prompt === '')
    throw new TurnoutError('bad_request', 'prompt is empty: there is nothing to send to the agent.');
  if (given.sessionId !== undefined && given.continueLast)
    throw new TurnoutError(
      'bad_request',
      'Either sessionId (--resume) or continueLast (--continue) can be given, not both.',
    );
  checkProviderOptions(name, given);
  const options = withAbsolutePaths(given);
  if (options.cwd !== undefined) await checkDirectory(options.cwd);
  if (options.settings !== undefined) await checkSettings(options.settings);
  if (options.mcpConfig !== undefined) await checkMcpConfig(options.mcpConfig);
  return options;
}

/** Refuses the other mode by name: each has a method of its own. */
export function refuseMode(options: RunnerOptions, wanted: 'interactive' | 'print'): void {
  const mode = options?.mode;
  if (mode === undefined || mode === wanted) return;
  const hint = mode === 'interactive' ? 'Call runInteractive.' : 'Call runOnce or runStreaming.';
  const what = wanted === 'print' ? 'A turn that is printed' : 'A terminal UI';
  throw new TurnoutError('bad_request', `${what} can't have mode ${JSON.stringify(mode)}.`, { hint });
}

const names: FieldRule = [
  'an array of names',
  (value) => Array.isArray(value) && value.every((name) => isWord(name) && name.trim() !== ''),
];

const rules: FieldRules<RunnerOptions> = {
  prompt: aText,
  systemPrompt: aText,
  cwd: aPath,
  env: someVariables,
  model: aModel,
  maxTurns: wholeNumberFrom(1),
  tools: ['an object, such as {allowed: ["Read"]}', isRecord],
  settings: aPath,
  mcpConfig: aPath,
  mode: oneOf(['interactive', 'print']),
  providerOptions: ['an object for each backend', isRecord],
  rawArgs: someArguments,
  sessionId: ['a session id', (value) => typeof value === 'string' && isSessionName(value)],
  continueLast: trueOrFalse,
  permissionMode: oneOf(permissionModes),
  thinking: aThinkingDepth,
  timeoutMs: milliseconds,
  signal: anAbortSignal,
  markerNonce: [
    'a word of letters, digits, "-" and "_"',
    (value) => typeof value === 'string' && /^[\w-]{1,128}$/.test(value),
  ],
  allowUnsupported: trueOrFalse,
  trace: aFunction,
};

const toolRules: FieldRules<ToolOptions> = { allowed: names, disallowed: names };

function withAbsolutePaths(options: RunnerOptions): RunnerOptions {
  const paths = (['cwd', 'settings', 'mcpConfig'] as const).flatMap((option) => {
    const value = options[option];
    return value === undefined ? [] : [[option, resolve(value)]];
  });
  return { ...options, ...Object.fromEntries(paths) };
}

async function checkDirectory(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory()) return;
  const problem = found === undefined ? 'is not there' : 'is not a directory';
  throw new TurnoutError('bad_request', `The working directory ${cwd} ${problem}.`, {
    hint: 'Choose another one with cwd (--cwd).',
  });
}
