import { markerLine } from '../runner/marker.js';

/** The words in front of the system prompt of an agent that nobody watches: how it runs, and how it says that it is done. */
export function unattendedInstructions(nonce?: string): string {
  return [
    'You run unattended: nobody reads along, and nobody can answer a question. Decide for yourself and go on.',
    `When all of your work is really done, print this line by itself as the last one: ${markerLine(nonce)}`,
  ].join('\n');
}
