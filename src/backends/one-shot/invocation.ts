import type { ScratchFile } from '../launch/scratch-files.js';

/** One one-shot run, described by one value: nothing has happened yet. */
export interface Invocation {
  readonly args: readonly string[];
  readonly stdin?: string;
  /** On top of the inherited environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly files?: readonly ScratchFile[];
  /** Stdout goes through a file: the CLI exits before a pipe has taken all of a large answer. */
  readonly spool?: true;
}
