import { didYouMean } from './did-you-mean.js';

export interface MeantCommand {
  readonly name: 'run' | 'chat';
  readonly argv: readonly string[];
}

/**
 * The command of a line that begins with none: `turnout --continue` and `turnout "why does the build fail?"` are a chat, and with
 * `-p` a run, as with `claude`. Undefined if a chat can't be meant, or there is no terminal for it.
 */
export function meantCommand(argv: readonly string[], inTerminal: boolean): MeantCommand | undefined {
  const [first = ''] = argv;
  if (!isOption(first) && !isPrompt(first)) return undefined;
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  if (words.some((word) => word === '--print' || /^-c?p/.test(word))) return { name: 'run', argv };
  return inTerminal ? { name: 'chat', argv } : undefined;
}

/** Says why a line is not understood. Names the command that may be meant, and those that a newcomer looks for. */
export function unknownWords([first = '']: readonly string[], commands: readonly string[]): string {
  if (isOption(first) || isPrompt(first)) {
    const what = isPrompt(first) ? 'a prompt' : `the option ${first}`;
    return `${what} without a command is for \`turnout chat\`, which needs a terminal.\nHere: \`turnout run "…"\`, or \`turnout -p "…"\`. See \`turnout --help\`.`;
  }
  return `unknown command ${JSON.stringify(first)}.${didYouMean(first, commands, (near) => JSON.stringify(near))}\nTo talk to an agent: \`turnout chat "…"\` or \`turnout run "…"\`. See \`turnout --help\`.`;
}

function isOption(word: string): boolean {
  return /^-./.test(word);
}

/** A command has no blanks; nearly every prompt has some. */
function isPrompt(word: string): boolean {
  return /\S\s+\S/.test(word);
}
