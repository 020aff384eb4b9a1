import type { MessageBody } from '../../src/gateway/channels/http/wire.js';

/** A message that the gateway has not accepted. */
export interface Kept {
  /** Sent again with the same key, it is one message. */
  readonly key: string;
  readonly channel: string;
  readonly text: string;
  /** The order in which they were sent. */
  readonly at: number;
  readonly queueMode?: MessageBody['queueMode'];
  readonly denies?: readonly string[];
  /** Why it was refused, if so: then it is kept to be edited. */
  readonly refused?: string;
}

/** All of them together, in characters: a browser's storage holds about five million, and drafts need some of them. */
const maxCharacters = 2_000_000;

/**
 * What was sent and not accepted, for a reload of the tab. Each has an entry of its own: the list is never written back as a
 * whole, so that nothing returns after somebody has signed out. A tab that was duplicated has the same messages with the same keys.
 */
export const keptMessages = {
  /** In the order in which they were sent. */
  read(): readonly Kept[] {
    return entries()
      .flatMap(([, value]) => parse(value))
      .sort((one, other) => one.at - other.at);
  },

  write(message: Kept): void {
    try {
      const value = JSON.stringify(message);
      const others = entries().filter(([name]) => name !== prefix + message.key);
      if (others.reduce((sum, [, other]) => sum + other.length, value.length) <= maxCharacters)
        sessionStorage.setItem(prefix + message.key, value);
    } catch {
      // A browser may forbid it, or be full: then the message is kept as long as the page.
    }
  },

  remove(key: string): void {
    try {
      sessionStorage.removeItem(prefix + key);
    } catch {
      // Where it is forbidden, nothing was kept.
    }
  },
};

const prefix = 'message ';

function entries(): [name: string, value: string][] {
  try {
    return Object.entries<string>({ ...sessionStorage }).filter(([name]) => name.startsWith(prefix));
  } catch {
    return [];
  }
}

function parse(value: string): readonly Kept[] {
  try {
    const read = JSON.parse(value) as Kept;
    const whole = [read.key, read.channel, read.text].every((part) => typeof part === 'string');
    return whole ? [read] : [];
  } catch {
    return [];
  }
}
