import { wrong } from '../backends/launch/complete-config.js';
import { permissionModes } from '../core/permission-mode.js';
import { refuseUnknown } from '../core/refuse-unknown.js';
import { thinkingDepths, thinkingExpected } from '../core/thinking.js';
import type { SessionOptions } from './types.js';

/** Throws a TurnoutError that names the first option which is unknown, or of a type that it can't have. */
export function checkSessionOptions(given: SessionOptions): void {
  if (!isObject(given)) throw wrong('options', 'an object, such as {backend: "claude"}', given);
  refuseUnknown(given, Object.keys(rules), '');
  for (const [option, [expected, isRight]] of Object.entries(rules)) {
    const value = given[option as keyof SessionOptions];
    if (value !== undefined && !isRight(value)) throw wrong(option, expected, value);
  }
}

type Rule = readonly [expected: string, isRight: (value: unknown) => boolean];

const text: Rule = ['a text', (value) => typeof value === 'string'];
const path: Rule = ['a path', (value) => typeof value === 'string'];
const yesOrNo: Rule = ['true or false', (value) => typeof value === 'boolean'];
const names: Rule = ['a list of texts', (value) => Array.isArray(value) && value.every(text[1])];
const object: Rule = ['an object', isObject];

/** Every option, with what it has to be. The type says the same, to callers that have types. */
const rules: Readonly<Record<keyof SessionOptions, Rule>> = {
  // Their own checks name the backends that there are, and the field.
  backend: ['the name of a backend', () => true],
  config: ['an object', () => true],
  live: yesOrNo,
  adapter: object,
  rawArgs: names,
  stream: yesOrNo,
  // Its own check names the hook.
  agentHooks: ['an object', () => true],
  heldBy: ['the number of a process', (value) => typeof value === 'number'],
  clocks: object,
  trace: ['a function', (value) => typeof value === 'function'],
  systemPrompt: text,
  sessionId: text,
  continueLast: yesOrNo,
  cwd: path,
  model: text,
  thinking: [
    thinkingExpected.replace(/^expected /, ''),
    (value) => typeof value === 'number' || thinkingDepths.some((depth) => depth === value),
  ],
  maxTurns: ['a number', (value) => typeof value === 'number'],
  allowedTools: names,
  disallowedTools: names,
  permissionMode: [
    `one of ${permissionModes.join(', ')}`,
    (value) => permissionModes.some((mode) => mode === value),
  ],
  confirmTools: yesOrNo,
  mcpConfig: path,
  settings: path,
};

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
