import type { Writable } from 'node:stream';
import { visible } from '../../core/text.js';
import { wrapWords } from './wrap-words.js';

export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Tells a person something on stderr: `turnout: …`. */
export function say(text: string): void {
  process.stderr.write(messageFor(process.stderr, text));
}

/** Writes lines of ours to a stream at once. What somebody else has written into them can't steer a terminal. */
export function writeShown(stream: Output, text: string): void {
  stream.write(stream.isTTY ? shown(text) : text);
}

/** What `say` writes to a stream: in a terminal it is broken at words, elsewhere its lines stay whole. */
export function messageFor({ isTTY, columns }: Pick<Output, 'isTTY' | 'columns'>, text: string): string {
  const message = `turnout: ${shown(text)}`;
  if (!isTTY) return `${message}\n`;
  const rows = message.split('\n').flatMap((line) => wrapIndented(line, columns || 80));
  return `${rows.join('\n')}\n`;
}

/** What somebody else has written must not steer the terminal of its reader, nor be read as something else. */
export function shown(text: string): string {
  return visible(text.replaceAll('\r\n', '\n'));
}

/** The rows of a line that is indented are so, too. */
function wrapIndented(line: string, width: number): readonly string[] {
  const [indent = ''] = /^ */.exec(line) ?? [];
  return wrapWords(line.slice(indent.length), width - indent.length).map((row) => indent + row);
}
