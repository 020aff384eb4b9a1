import { type ApiError, invalidForm } from '../rest/api-error.js';
import type { Violations } from '../state/violations.js';

export interface Command {
  readonly name: string;
  readonly type?: number;
  readonly description?: string;
  readonly options?: readonly CommandOption[];
}

export interface CommandOption {
  readonly name: string;
  readonly type: number;
  readonly description?: string;
  readonly required?: boolean;
  readonly choices?: readonly { readonly name: string; readonly value: unknown }[];
  readonly options?: readonly CommandOption[];
}

const validName = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

/** Throws what Discord would answer to slash commands that break its rules. */
export function checkCommands(given: unknown, violations: Violations): readonly Command[] {
  const refuse: Refuse = (path, message) => {
    violations.record('command', `${path}: ${message}`);
    return invalidForm(path, 'APPLICATION_COMMAND_INVALID', message);
  };
  if (!Array.isArray(given)) throw refuse('commands', 'Not a list.');
  const commands: readonly Command[] = given;
  if (commands.length > 100) throw refuse('commands', 'At most 100.');
  checkNames(commands, 'commands', refuse);
  return commands;
}

function checkNames(list: readonly (Command | CommandOption)[], path: string, refuse: Refuse): void {
  const names = new Set<string>();
  let optional = false;
  for (const [i, one] of list.entries()) {
    const at = `${path}.${i}`;
    if (!validName.test(one.name) || one.name !== one.name.toLowerCase())
      throw refuse(`${at}.name`, `Invalid: ${one.name}`);
    if (names.has(one.name)) throw refuse(`${at}.name`, `Twice: ${one.name}`);
    names.add(one.name);
    const length = one.description?.length ?? 0;
    if (length < 1 || length > 100)
      throw refuse(`${at}.description`, `Must be between 1 and 100 in length: ${length}.`);
    if ('required' in one && one.required && optional)
      throw refuse(`${at}.required`, 'Behind an optional one.');
    optional ||= 'type' in one && !('required' in one && one.required);
    if ('choices' in one && (one.choices?.length ?? 0) > 25) throw refuse(`${at}.choices`, 'At most 25.');
    if ((one.options?.length ?? 0) > 25) throw refuse(`${at}.options`, 'At most 25.');
    checkNames(one.options ?? [], `${at}.options`, refuse);
  }
}

type Refuse = (path: string, message: string) => ApiError;
