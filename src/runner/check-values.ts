import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { canResume } from '../backends/launch/check-request.js';
import { isModelName } from '../config/formats.js';
import { TurnoutError } from '../core/errors.js';
import { permissionModes } from '../core/permission-mode.js';
import { refuseUnknown } from '../core/refuse-unknown.js';
import { thinkingDepths } from '../core/thinking.js';
import { checkMcpConfig, checkSettings } from './check-files.js';
import { checkProviderOptions } from './provider-options.js';
import type { RunnerName, RunnerOptions } from './types.js';

/**
 * Throws a TurnoutError (`bad_request`) that names the first value which no backend could take, or an option that there is
 * not. Returns the options with absolute paths: they are relative to this process's directory, wherever the agent works.
 */
export async function checkValues(name: RunnerName, given: RunnerOptions): Promise<RunnerOptions> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TurnoutError('bad_request', 'The options have to be an object, such as {prompt: "…"}.');
  refuseUnknown(given, Object.keys(rules), '');
  refuseUnknown(given.tools ?? {}, ['allowed', 'disallowed'], 'tools.');
  for (const [option, { isRight, expected }] of Object.entries(rules)) {
    const value = given[option as keyof RunnerOptions];
    if (value === undefined || isRight(value)) continue;
    throw new TurnoutError('bad_request', `${option} can't be ${shown(value)}: expected ${expected}.`);
  }
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

interface Rule {
  readonly expected: string;
  isRight(value: unknown): boolean;
}

const text: Rule = { expected: 'a text', isRight: (value) => typeof value === 'string' };
const path: Rule = {
  expected: 'a path',
  isRight: (value) => isWord(value) && value.trim() !== '',
};
const callable: Rule = { expected: 'a function', isRight: (value) => typeof value === 'function' };
const yesOrNo: Rule = { expected: 'true or false', isRight: (value) => typeof value === 'boolean' };

/** Every option, with what it has to be. The type says the same, to callers that have types. */
const rules: Readonly<Record<keyof RunnerOptions, Rule>> = {
  prompt: text,
  systemPrompt: text,
  cwd: path,
  env: {
    expected: 'an object of names and texts',
    isRight: (value) =>
      isRecord(value) && Object.entries(value).every(([key, one]) => /^[^=\0]+$/.test(key) && isWord(one)),
  },
  model: {
    expected: 'a model’s name, which is not empty, does not begin with "-" and has no invisible characters',
    isRight: (value) => isWord(value) && value.trim() !== '' && isModelName(value),
  },
  maxTurns: {
    expected: 'a whole number from 1 up',
    isRight: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  },
  tools: {
    expected: 'an object with allowed and disallowed: lists of names',
    isRight: (value) =>
      isRecord(value) && Object.values(value).every((list) => list === undefined || isNames(list)),
  },
  settings: path,
  mcpConfig: path,
  mode: oneOf(['interactive', 'print']),
  providerOptions: { expected: 'an object for each backend', isRight: isRecord },
  rawArgs: {
    expected: 'a list of arguments',
    isRight: (value) => Array.isArray(value) && value.every(isWord),
  },
  sessionId: {
    expected: 'a session id',
    isRight: (value) => typeof value === 'string' && canResume(value),
  },
  continueLast: yesOrNo,
  permissionMode: oneOf(permissionModes),
  thinking: {
    expected: `one of ${thinkingDepths.join(', ')}, or a number of tokens`,
    isRight: (value) =>
      typeof value === 'number'
        ? Number.isSafeInteger(value) && value >= 1
        : thinkingDepths.some((depth) => depth === value),
  },
  timeoutMs: {
    expected: 'a number of milliseconds (0: no limit)',
    isRight: (value) => typeof value === 'number' && value >= 0 && Number.isFinite(value),
  },
  signal: { expected: 'an AbortSignal', isRight: (value) => value instanceof AbortSignal },
  markerNonce: {
    expected: 'a word of letters, digits, "-" and "_"',
    isRight: (value) => typeof value === 'string' && /^[\w-]{1,128}$/.test(value),
  },
  allowUnsupported: yesOrNo,
  trace: callable,
};

function oneOf(choices: readonly string[]): Rule {
  return {
    expected: `one of ${choices.join(', ')}`,
    isRight: (value) => choices.some((choice) => choice === value),
  };
}

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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** No argument, path or variable can hold a NUL. */
function isWord(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => isWord(name) && name.trim() !== '');
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  // JSON calls what is no number null.
  if (typeof value === 'number') return String(value);
  return JSON.stringify(value)?.slice(0, 200) ?? String(value);
}
