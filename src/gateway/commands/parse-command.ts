import { chatCommands } from './command-list.js';

type Listed = (typeof chatCommands)[number];

interface Named<Name> {
  readonly name: Name;
  readonly argument: string;
}

export type ImmediateCommand = Named<Extract<Listed, { waits: false }>['name']>;
export type QueuedCommand = Named<Extract<Listed, { waits: true }>['name']>;
export type Command = ImmediateCommand | QueuedCommand;

/** A command is taken in any case: phones write `/Backend`. A leading space makes a prompt of anything. */
export function parseCommand(text: string): Command | undefined {
  const [, word, argument = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text.trimEnd()) ?? [];
  const known = chatCommands.find(({ name }) => name === word?.toLowerCase());
  return known === undefined ? undefined : ({ name: known.name, argument: argument.trim() } as Command);
}

export function isImmediate(command: Command): command is ImmediateCommand {
  return chatCommands.some(({ name, waits }) => name === command.name && !waits);
}

/** `/new feature: …` is more likely meant as a prompt than as a command: nothing is done. */
export function argumentRefusal({ name, argument }: Command): string | undefined {
  if (argument === '') return undefined;
  return `/${name} takes nothing behind it, and nothing was done. To send this as a prompt, put a space in front; on Discord, a backslash.`;
}
