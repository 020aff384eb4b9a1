import type { CommandPage, Completion, Flag } from '../command/command-page.js';

/** What a completion has to know about a command. */
export interface CompletedCommand extends Pick<CommandPage, 'subcommands' | 'operand' | 'flags'> {
  readonly name: string;
  readonly about: string;
}

/** A place on the command line where the same flags and operands can follow: a command, or one of its sub-commands. */
export interface CompletedPlace {
  /** `chain run`; a command with sub-commands is a place too, for words that name none of them. */
  readonly words: string;
  readonly flags: readonly CompletedFlag[];
  readonly operand: Completion | undefined;
  /** The sub-commands that may follow here. */
  readonly next: readonly CompletedWord[];
}

export interface CompletedWord {
  readonly name: string;
  readonly about: string;
}

export interface CompletedFlag extends Flag {
  readonly name: string;
  readonly about: string;
}

export function placesOf({
  name,
  flags,
  subcommands = {},
  operand,
}: CompletedCommand): readonly CompletedPlace[] {
  const shown = shownFlags(flags);
  const next = Object.entries(subcommands).map(([sub, { about }]) => ({ name: sub, about }));
  const below = Object.entries(subcommands).map(([sub, { operand: own, takes }]) => ({
    words: `${name} ${sub}`,
    flags:
      takes === undefined ? shown : shown.filter(({ name: flag }) => flag === 'help' || takes.includes(flag)),
    operand: own,
    next: [],
  }));
  return [...below, { words: name, flags: shown, operand, next }];
}

/** The flags of the help page, and `--help` itself. */
function shownFlags(flags: CompletedCommand['flags']): readonly CompletedFlag[] {
  return Object.entries(flags).flatMap(([name, flag]) => {
    const about = name === 'help' ? 'the help page' : flag.about;
    return about === undefined ? [] : [{ ...flag, name, about: firstWords(about) }];
  });
}

/** A shell shows one line beside a flag. */
function firstWords(about: string): string {
  const [first = ''] = about.split(/[;:(]| \(|\. /, 1);
  const words = first.trim();
  return words === '' ? about : words;
}

/** Both spellings of a flag: `-b`, `--backend`. */
export function spellings({ name, short }: CompletedFlag): readonly string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}
