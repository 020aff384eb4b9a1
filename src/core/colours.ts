/** A stream that may be a terminal. */
export interface MaybeTerminal {
  readonly isTTY?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * True if colours may be written to a stream. As in Node.js, FORCE_COLOR wins over NO_COLOR, and both over what the stream is; an
 * empty one counts as not set.
 */
export function hasColours(stream: MaybeTerminal, env: Environment = process.env): boolean {
  const { FORCE_COLOR: force = '', NO_COLOR: none = '' } = env;
  if (force !== '') return force !== '0' && force !== 'false';
  return none === '' && canRedraw(stream, env);
}

/** True for a terminal that can move its cursor, so that a line can be written over. */
export function canRedraw({ isTTY }: MaybeTerminal, env: Environment = process.env): boolean {
  return isTTY === true && env['TERM'] !== 'dumb';
}

const codes = { dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' } as const;
export type Colour = keyof typeof codes;

export function coloured(text: string, colour: Colour): string {
  return `\u001b[${codes[colour]}m${text}\u001b[0m`;
}
