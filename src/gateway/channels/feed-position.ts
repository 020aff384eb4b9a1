/**
 * A place in what happens in a channel: behind a message, and inside or behind a turn. Messages and turns are counted by the
 * store, so a place outlives the gateway.
 */
export interface FeedPosition {
  /** The id of the last message that was read. */
  readonly message: number;
  /** The seq of the turn that is being read, or was read last. */
  readonly turn: number;
  /** The number of the turn's events that were read; `ended` behind its end. */
  readonly index: number | 'ended';
  /** The characters that were read of the next event, a text. */
  readonly offset: number;
}

/** The position as the id of a server-sent event: `41.7.3.120` or `41.7.ended`. */
export function printPosition({ message, turn, index, offset }: FeedPosition): string {
  return index === 'ended' ? `${message}.${turn}.ended` : `${message}.${turn}.${index}.${offset}`;
}

/** Undefined if it is no position. */
export function parsePosition(text: string): FeedPosition | undefined {
  const found = /^(\d{1,15})\.(\d{1,15})\.(?:ended|(\d{1,9})\.(\d{1,9}))$/.exec(text);
  if (found === null) return undefined;
  const [, message, turn, index, offset] = found;
  return {
    message: Number(message),
    turn: Number(turn),
    index: index === undefined ? 'ended' : Number(index),
    offset: Number(offset ?? 0),
  };
}
