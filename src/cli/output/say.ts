import type { Writable } from 'node:stream';
import { wrapWords } from './wrap-words.js';

export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Tells a person something on stderr: `turnout: …`. */
export function say(text: string): void {
  process.stderr.write(messageFor(process.stderr, text));
}

/** What `say` writes to a stream: in a terminal it is broken at words, elsewhere its lines stay whole. */
export function messageFor({ isTTY, columns }: Pick<Output, 'isTTY' | 'columns'>, text: string): string {
  const message = `turnout: ${harmless(text)}`;
  if (!isTTY) return `${message}\n`;
  const rows = message.split('\n').flatMap((line) => wrapIndented(line, columns || 80));
  return `${rows.join('\n')}\n`;
}

/** A text of somebody else without the characters that steer a terminal. */
export function harmless(text: string): string {
  return text.replaceAll(controlCharacters, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const controlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** The rows of a line that is indented are so, too. */
function wrapIndented(line: string, width: number): readonly string[] {
  const [indent = ''] = /^ */.exec(line) ?? [];
  return wrapWords(line.slice(indent.length), width - indent.length).map((row) => indent + row);
}
