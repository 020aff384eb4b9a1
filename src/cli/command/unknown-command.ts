import type { TurnoutError } from '../../core/errors.js';
import { didYouMean } from './did-you-mean.js';
import { wrongUsage } from './read-flags.js';

/** Names the one that may be meant, and those that there are. */
export function unknownSubcommand(command: string, name: string, subcommands: object): TurnoutError {
  const known = Object.keys(subcommands);
  return wrongUsage(
    command,
    `unknown command of \`turnout ${command}\` ${JSON.stringify(name)}.${didYouMean(name, known, (near) => JSON.stringify(near))}`,
    `Commands: ${known.join(', ')}. See \`turnout help ${command}\`.`,
  );
}
