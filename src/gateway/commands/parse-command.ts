/** The commands of the gateway. Any other `/word` is a prompt. */
const commandNames = ['backend', 'model', 'new', 'stop', 'status', 'retry', 'queue', 'usage'] as const;

type CommandName = (typeof commandNames)[number];

export interface Command {
  readonly name: CommandName;
  readonly argument: string;
}

/** A leading space makes a prompt of anything. */
export function parseCommand(text: string): Command | undefined {
  const [, word, argument = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trimEnd()) ?? [];
  const name = commandNames.find((known) => known === word);
  return name === undefined ? undefined : { name, argument: argument.trim() };
}

/** True for the commands that look at the queue or empty it: they can't wait in it. */
export function isImmediate(command: Command): boolean {
  return command.name === 'stop' || command.name === 'status' || command.name === 'queue';
}
