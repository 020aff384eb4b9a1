import type { Completion } from '../command/command-page.js';
import {
  type CompletedCommand,
  type CompletedFlag,
  type CompletedPlace,
  placesOf,
} from './completed-command.js';

/** The script for fish 3 and newer. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const first = commands.map(({ name, about }) =>
    complete("'__turnout_at'", ['-f', '-a', name, '-d', quote(about)]),
  );
  return `# Completion of turnout for fish: turnout completion fish > ~/.config/fish/completions/turnout.fish
# True if the words before the cursor are exactly these.
function __turnout_at
    set -l words (commandline -opc)
    set -e words[1]
    test "$words" = "$argv"
end

# True if the words before the cursor begin with these, and what is for the agent's own CLI has not begun.
function __turnout_in
    set -l words (commandline -opc)
    set -e words[1]
    contains -- -- $words; and return 1
    set -l last (count $argv)
    test (count $words) -ge $last; and test "$words[1..$last]" = "$argv"
end

complete -c turnout -e
${[...first, ...commands.flatMap(placesOf).flatMap((place) => placeLines(place, commands))].join('\n')}
`;
}

function placeLines(place: CompletedPlace, commands: readonly CompletedCommand[]): readonly string[] {
  const { words, flags, operand, next } = place;
  const command = commands.find(({ name }) => name === words);
  const others = Object.keys(command?.subcommands ?? {}).map(
    (name) => `; and not __turnout_in ${words} ${name}`,
  );
  const condition = quote(`__turnout_in ${words}${others.join('')}`);
  return [
    ...next.map(({ name, about }) =>
      complete(quote(`__turnout_at ${words}`), ['-f', '-a', name, '-d', quote(about)]),
    ),
    ...(operand === undefined ? [] : [complete(condition, operandOf(operand))]),
    ...flags.map((flag) => complete(condition, flagWords(flag))),
  ];
}

function complete(condition: string, words: readonly string[]): string {
  return `complete -c turnout -n ${condition} ${words.join(' ')}`;
}

function operandOf(completion: Completion): readonly string[] {
  return completion === 'files' ? ['-F'] : ['-f', '-a', proposal(completion)];
}

function flagWords(flag: CompletedFlag): readonly string[] {
  const { name, short, type, about, complete: completion } = flag;
  const names = short === undefined ? ['-l', name] : ['-s', short, '-l', name];
  const words = [...names, '-d', quote(about)];
  if (type === 'switch') return words;
  if (completion === undefined) return [...words, '-x'];
  if (completion === 'files') return [...words, '-r', '-F'];
  return [...words, '-x', '-a', proposal(completion)];
}

function proposal(completion: Exclude<Completion, 'files'>): string {
  if (completion === 'directories') return "'(__fish_complete_directories)'";
  if (typeof completion === 'string')
    return `'(turnout completion values ${completion} (commandline -opc)[-1] (commandline -ct) 2>/dev/null)'`;
  return quote(completion.join(' '));
}

function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
