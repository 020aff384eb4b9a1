import { inspect } from 'node:util';

/** Enough to tell what was thrown. */
const longest = 1000;

/**
 * Says in words what somebody else's code has thrown: an error's message, a string, anything else as it is inspected. Never
 * throws, whatever the value does when it is looked at.
 */
export function describeThrown(thrown: unknown): string {
  return shortened(() => (thrown instanceof Error ? thrown.message : thrown));
}

/** The same with an error's name and stack, for a warning. */
export function inspectThrown(thrown: unknown): string {
  return shortened(() => inspect(thrown));
}

function shortened(read: () => unknown): string {
  try {
    const words = read();
    const text = typeof words === 'string' ? words : inspect(words);
    return text.length > longest ? `${text.slice(0, longest)}…` : text;
  } catch {
    return 'something that can not be described';
  }
}
