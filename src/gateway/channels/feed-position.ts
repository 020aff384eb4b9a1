/**
 * A place in what happens in a channel: behind a message, and inside or behind a turn. Messages and turns are counted by the
 * store, so a place outlives the gateway. Their times tell whether they are the ones that were read: a database that was
 * restored from a backup counts others by the same numbers.
 */
export interface FeedPosition {
  /** The id of the last message that was read; 0 in front of the first one. */
  readonly message: number;
  /** When that message was written. */
  readonly messageAt: number;
  /** The seq of the turn that is being read, or was read last; 0 in front of the first one. */
  readonly turn: number;
  /** When that turn began. */
  readonly turnAt: number;
  /** The number of the turn's events that were read; `ended` behind its end. */
  readonly index: number | 'ended';
  /** The characters that were read of the next event, a text. */
  readonly offset: number;
}

/** The position as the id of a server-sent event: `41~mi3.7~mi2.3.120` or `41~mi3.7~mi2.ended`. */
export function printPosition({ message, messageAt, turn, turnAt, index, offset }: FeedPosition): string {
  const place = `${print(message, messageAt)}.${print(turn, turnAt)}`;
  return index === 'ended' ? `${place}.ended` : `${place}.${index}.${offset}`;
}

function print(number: number, at: number): string {
  return number === 0 ? '0' : `${number}~${at.toString(36)}`;
}

/** Undefined if it is no position. */
export function parsePosition(text: string): FeedPosition | undefined {
  const found = shape.exec(text)?.groups;
  if (found === undefined) return undefined;
  const { message, messageAt = '0', turn, turnAt = '0', index, offset = '0' } = found;
  return {
    message: Number(message),
    messageAt: Number.parseInt(messageAt, 36),
    turn: Number(turn),
    turnAt: Number.parseInt(turnAt, 36),
    index: index === undefined ? 'ended' : Number(index),
    offset: Number(offset),
  };
}

const shape =
  /^(?<message>\d{1,15})(?:~(?<messageAt>[0-9a-z]{1,9}))?\.(?<turn>\d{1,15})(?:~(?<turnAt>[0-9a-z]{1,9}))?\.(?:ended|(?<index>\d{1,9})\.(?<offset>\d{1,9}))$/;
