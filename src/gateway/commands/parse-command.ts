/** The commands that look at the queue or empty it: they can't wait in it. */
const immediateNames = ['stop', 'status', 'queue'] as const;
const queuedNames = ['backend', 'model', 'thinking', 'new', 'retry', 'usage'] as const;
/** The commands of the gateway. Any other `/word` is a prompt. */
const commandNames = [...queuedNames, ...immediateNames];

interface Named<Name> {
  readonly name: Name;
  readonly argument: string;
}

export type ImmediateCommand = Named<(typeof immediateNames)[number]>;
export type QueuedCommand = Named<(typeof queuedNames)[number]>;
export type Command = ImmediateCommand | QueuedCommand;

/** A command is taken in any case: phones write `/Backend`. A leading space makes a prompt of anything. */
export function parseCommand(text: string): Command | undefined {
  const [, word, argument = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text.trimEnd()) ?? [];
  const name = commandNames.find((known) => known === word?.toLowerCase());
  return name === undefined ? undefined : ({ name, argument: argument.trim() } as Command);
}

export function isImmediate(command: Command): command is ImmediateCommand {
  return immediateNames.some((name) => name === command.name);
}

/** `/new feature: …` is more likely meant as a prompt than as a command: nothing is done. */
export function argumentRefusal({ name, argument }: Command): string | undefined {
  if (argument === '') return undefined;
  return `/${name} takes nothing behind it, and nothing was done. To send this as a prompt, put a space in front.`;
}
