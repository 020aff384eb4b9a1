import { runRules, turnRules } from '../backends/launch/check-turn.js';
import type { Clocks, PoolLimits } from '../config/limits.js';
import { checkFields, type FieldRule, type FieldRules, isRecord, wrongValue } from '../core/check-fields.js';
import {
  aFunction,
  anObject,
  isAmount,
  milliseconds,
  someArguments,
  trueOrFalse,
  wholeNumberFrom,
} from '../core/field-rules.js';
import type { SendOptions, SessionOptions } from './types.js';

/** Throws a TurnoutError that names the first option which is unknown, or of a type that it can't have. */
export function checkSessionOptions(given: SessionOptions): void {
  if (!isRecord(given)) throw wrongValue('options', 'an object, such as {backend: "claude"}', given);
  checkFields<SessionOptions>(given, rules);
  if (given.clocks !== undefined) checkFields<Partial<Clocks>>(given.clocks, clockRules, 'clocks.');
}

/** The same for a call of `send`. An empty prompt is no wrong call: that is the turn's error. */
export function checkSend(prompt: string, options: SendOptions): void {
  if (typeof prompt !== 'string') throw wrongValue('prompt', 'a text', prompt);
  if (!isRecord(options)) throw wrongValue('options', 'an object, such as {signal}', options);
  checkFields<SendOptions>(options, sendRules);
}

/** The same for the second argument of `open`. */
export function checkOpening(options: Pick<SendOptions, 'signal'>): void {
  if (!isRecord(options)) throw wrongValue('opening', 'an object, such as {signal}', options);
  checkFields<Pick<SendOptions, 'signal'>>(options, { signal }, 'opening.');
}

/** The same for the argument of `setModel`. */
export function checkModel(model: string): void {
  const [expected, isRight] = turnRules.model;
  if (!isRight(model)) throw wrongValue('model', expected, model);
}

/** The same for what `new Sessions` takes. */
export function checkPoolLimits(given: Partial<PoolLimits>): void {
  if (!isRecord(given)) throw wrongValue('limits', 'an object, such as {maxProcesses: 4}', given);
  checkFields<Partial<PoolLimits>>(given, poolRules, 'limits.');
}

// Its own check names the field, or the backends that there are.
const checkedElsewhere: FieldRule = ['', () => true];

const rules: FieldRules<SessionOptions> = {
  ...turnRules,
  backend: checkedElsewhere,
  config: checkedElsewhere,
  live: trueOrFalse,
  adapter: anObject,
  rawArgs: someArguments,
  stream: trueOrFalse,
  agentHooks: checkedElsewhere,
  heldBy: ['the number of a process', (value) => typeof value === 'number'],
  clocks: anObject,
  trace: aFunction,
};

const { signal, stdoutFile, conversation, onSpawn } = runRules;
const sendRules: FieldRules<SendOptions> = { signal, stdoutFile, conversation, onSpawn };

const clockRules: FieldRules<Clocks> = {
  modelSilenceMs: milliseconds,
  toolMs: milliseconds,
  permissionMs: milliseconds,
  turnMs: milliseconds,
  stopMs: milliseconds,
};

const poolRules: FieldRules<PoolLimits> = {
  maxProcesses: wholeNumberFrom(1),
  maxResidentBytes: ['a number of bytes', isAmount],
  idleMs: ['a number of milliseconds', isAmount],
  spares: wholeNumberFrom(0),
};
