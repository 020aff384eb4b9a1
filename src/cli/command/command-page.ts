/** A command of Turnout, as its module exports it. */
export interface Command {
  main(argv: readonly string[]): Promise<number>;
  readonly page: CommandPage;
}

/**
 * What there is to know about a command's words. One description is read by the parser (`readFlags`), the help page
 * (`help-text.ts`) and the shells' completion (`completion/`).
 */
export interface CommandPage {
  /** The name of the program. Default: `turnout`. */
  readonly program?: string;
  /** The forms of the command line, without the program. */
  readonly usage: readonly string[];
  /** Paragraphs apart by a blank line. */
  readonly about: string;
  /** The words that may follow the command, and what each does. */
  readonly subcommands?: Readonly<Record<string, Subcommand>>;
  /** What the words that belong to no flag are, for a shell to propose. Default: files. */
  readonly operand?: Completion;
  readonly flags: FlagTable;
  readonly notes?: string;
  /** Command lines and what each is for. Where `turnout` is missing, it is put in front. */
  readonly examples: readonly (readonly [line: string, what?: string])[];
  readonly exitCodes: string;
}

export interface Subcommand {
  readonly about: string;
  readonly operand?: Completion;
  /** The names of the flags that it takes. Default: all of the page's. */
  readonly takes?: readonly string[];
}

/** One flag of a command. Its name in the table is the long one, without the dashes. */
export interface Flag {
  /** `text` takes a value, and the last one counts; `list` takes one each time it is given; `optional` takes one if one follows. */
  readonly type: 'switch' | 'text' | 'list' | 'optional';
  readonly short?: string;
  /** Further long names, as other programs call it. */
  readonly aliases?: readonly string[];
  /** Says which words behind the first value are values too: Claude's lists take as many as follow. */
  readonly takesMore?: (word: string) => boolean;
  /** The word for the value in the help: `name` is shown as `<name>`. */
  readonly value?: string;
  /** The words for the help. A flag without them is understood, and shown nowhere. */
  readonly about?: string;
  /** What a shell may propose for the value. Default: nothing. */
  readonly complete?: Completion;
}

export type FlagTable = Readonly<Record<string, Flag>>;

/** Words, files, or what Turnout is asked for when the Tab key is pressed. */
export type Completion = readonly string[] | 'files' | 'directories' | CompletionSource;

export const completionSources = [
  ...(['chains', 'runs', 'agents', 'channels', 'sessions', 'permissions'] as const),
  // The name of a setting; behind one, its values.
  ...(['settings', 'setting-values'] as const),
] as const;
export type CompletionSource = (typeof completionSources)[number];
