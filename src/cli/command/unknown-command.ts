import type { TurnoutError } from '../../core/errors.js';
import { didYouMean } from './did-you-mean.js';
import { wrongUsage } from './read-flags.js';

/** Names the one that may be meant, and those that there are. */
export function unknownCommand(name: string, commands: readonly string[]): string {
  return `unknown command ${quotedWithGuess(name, commands)}\nCommands: ${commands.join(', ')}. See \`turnout --help\`.`;
}

/** The same for the sub-commands of a command. */
export function unknownSubcommand(command: string, name: string, subcommands: object): TurnoutError {
  const known = Object.keys(subcommands);
  return wrongUsage(
    command,
    `unknown command of \`turnout ${command}\` ${quotedWithGuess(name, known)}`,
    `Commands: ${known.join(', ')}. See \`turnout help ${command}\`.`,
  );
}

function quotedWithGuess(name: string, known: readonly string[]): string {
  return `${JSON.stringify(name)}.${didYouMean(name, known, (near) => JSON.stringify(near))}`;
}
