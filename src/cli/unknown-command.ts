import { didYouMean } from './did-you-mean.js';

/** Says which commands there are, and which one may be meant. `of` is the command whose sub-commands they are. */
export function unknownCommand(name: string, commands: readonly string[], of?: string): string {
  const meant = didYouMean(name, commands, (near) => JSON.stringify(near));
  const what = of === undefined ? 'command' : `command of \`turnout ${of}\``;
  const help = of === undefined ? 'turnout --help' : `turnout help ${of}`;
  return `unknown ${what} ${JSON.stringify(name)}.${meant}\nCommands: ${commands.join(', ')}. See \`${help}\`.`;
}
