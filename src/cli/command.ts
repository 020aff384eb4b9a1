/** A command of `turnout`: what its module exports. */
export interface Command {
  main(argv: readonly string[]): Promise<number>;
  readonly usageText: string;
}
