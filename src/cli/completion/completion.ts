import { TurnoutError } from '../../core/errors.js';
import type { CommandPage } from '../command/command-page.js';
import { didYouMean } from '../command/did-you-mean.js';
import { print } from '../command/print.js';
import { helpFlag, runCommand } from '../command/run-command.js';
import { commands } from '../commands.js';
import { bashScript } from './bash.js';
import type { CompletedCommand } from './completed-command.js';
import { fishScript } from './fish.js';
import { zshScript } from './zsh.js';

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof shells;

export const page = {
  usage: ['completion bash | zsh | fish'],
  about:
    'Prints what makes a shell complete the commands, options and names of Turnout with the Tab key: backends, sessions, settings, chains, agents, runs, channels.',
  subcommands: {
    bash: { about: 'for ~/.bashrc: source <(turnout completion bash)' },
    zsh: { about: 'for ~/.zshrc, behind compinit: source <(turnout completion zsh)' },
    fish: { about: 'turnout completion fish > ~/.config/fish/completions/turnout.fish' },
  },
  flags: helpFlag,
  examples: [
    ['source <(turnout completion bash)', 'in this shell'],
    ["echo 'source <(turnout completion bash)' >> ~/.bashrc"],
  ],
  exitCodes: '0 done · 2 wrong usage',
} as const satisfies CommandPage;

/** `turnout completion`: prints a shell's script, made from the pages of all commands. */
export function main(argv: readonly string[]): Promise<number> {
  // The scripts ask in this way for names that only Turnout knows. It is no command of a person's.
  const [first, ...asked] = argv;
  if (first === 'values') return printValues(asked);
  return runCommand(
    {
      name: 'completion',
      page,
      read: ({ positionals }) => readShell(positionals),
      run: async (shell) => print(shells[shell](await completedCommands())),
    },
    argv,
  );
}

async function printValues([source = '', before, typed]: readonly string[]): Promise<number> {
  const { completionValues } = await import('./values.js');
  return print((await completionValues(source, { before, typed })).map((value) => `${value}\n`).join(''));
}

function readShell(words: readonly string[]): Shell {
  const names = Object.keys(shells) as Shell[];
  const [word] = words;
  const shell = names.find((name) => name === word);
  if (shell !== undefined && words.length === 1) return shell;
  if (word === undefined)
    throw new TurnoutError('bad_request', `Which shell? \`turnout completion\` has ${names.join(', ')}.`);
  const meant = didYouMean(word, names);
  const given = words.map((one) => JSON.stringify(one)).join(' ');
  throw new TurnoutError('bad_request', `expected one of ${names.join(', ')}, got ${given}.${meant}`);
}

async function completedCommands(): Promise<readonly CompletedCommand[]> {
  const { commandSummary } = await import('../usage.js');
  const found = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => {
      const command = await load();
      const page = 'page' in command ? command.page : { flags: {} };
      return { ...page, name, about: commandSummary(name) };
    }),
  );
  const names = found.map(({ name }) => name);
  return [...found, { name: 'help', about: "a command's options, with examples", flags: {}, operand: names }];
}
