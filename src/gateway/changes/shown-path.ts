import { type BytePath, bytesOf } from '../../process/work-tree/byte-path.js';

/**
 * The name of a file as text: itself if it is UTF-8, otherwise as git quotes it. One that begins like a quoted one is quoted, too: no
 * two files are shown by the same name.
 */
export function shownPath(path: BytePath): string {
  const bytes = bytesOf(path);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) && !text.startsWith('"') ? text : quotedPath(path);
}

function quotedPath(path: BytePath): string {
  const escaped = path.replace(/["\\]|[^ -~]/g, (character) =>
    character === '"' || character === '\\'
      ? `\\${character}`
      : `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${escaped}"`;
}
