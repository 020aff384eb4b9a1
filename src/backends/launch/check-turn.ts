import { isModelName } from '../../config/formats.js';
import {
  checkFields,
  checkVariables,
  type FieldRule,
  type FieldRules,
  isRecord,
  wrongValue,
} from '../../core/check-fields.js';
import { TurnoutError } from '../../core/errors.js';
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
} from '../../core/field-rules.js';
import { permissionModes } from '../../core/permission-mode.js';
import { thinkingDepths } from '../../core/thinking.js';
import type { RunOptions, RunRequest, TurnOptions } from '../types.js';

/**
 * Throws a TurnoutError that names the first field of a call of `run` which is unknown, or of a type that it can't have. What a
 * CLI can't do is no wrong call: that is the turn's error.
 */
export function checkRun(request: RunRequest, options: RunOptions): void {
  if (!isRecord(request)) throw wrongValue('request', 'an object, such as {prompt: "…"}', request);
  const misplaced = Object.keys(request).find((field) => Object.hasOwn(runRules, field));
  if (misplaced !== undefined) {
    throw new TurnoutError(
      'bad_request',
      `${misplaced} belongs in the second argument: run({prompt}, {${misplaced}}).`,
    );
  }
  checkFields<RunRequest>(request, requestRules);
  if (request.prompt === undefined) throw wrongValue('prompt', 'a text', undefined);
  checkVariables(request.env, 'env');
  if (!isRecord(options)) throw wrongValue('options', 'an object, such as {signal}', options);
  checkFields<RunOptions>(options, runRules);
}

export const aModel: FieldRule = [
  'a model’s name, which is not empty, does not begin with "-" and has no invisible characters',
  (value) => isWord(value) && value.trim() !== '' && isModelName(value),
];

export const aThinkingDepth: FieldRule = [
  `one of ${thinkingDepths.join(', ')}, or a number of tokens`,
  (value) =>
    typeof value === 'number'
      ? Number.isSafeInteger(value) && value >= 1
      : thinkingDepths.some((depth) => depth === value),
];

export const turnRules: FieldRules<TurnOptions> = {
  systemPrompt: aText,
  // An id that no CLI could be given is the turn's error: it may come from a database.
  sessionId: ['a session id', (value) => typeof value === 'string'],
  continueLast: trueOrFalse,
  cwd: aPath,
  model: aModel,
  thinking: aThinkingDepth,
  maxTurns: wholeNumberFrom(1),
  allowedTools: someArguments,
  disallowedTools: someArguments,
  permissionMode: oneOf(permissionModes),
  confirmTools: trueOrFalse,
  mcpConfig: aPath,
  settings: aPath,
};

const requestRules: FieldRules<RunRequest> = {
  prompt: aText,
  ...turnRules,
  env: someVariables,
  timeoutMs: milliseconds,
  stream: trueOrFalse,
  rawArgs: someArguments,
};

export const runRules: FieldRules<RunOptions> = {
  signal: anAbortSignal,
  stdoutFile: aPath,
  conversation: aText,
  onAnswered: aFunction,
  onSpawn: aFunction,
  trace: aFunction,
};
