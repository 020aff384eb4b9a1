import { createHash } from 'node:crypto';

const longestName = 200;
const keptOfLongNames = 120;

/**
 * The directory name of a channel, in the archive and in CONFIG_DIR/channels: its id where that is a plain name,
 * percent-encoded where not. Two channels never share one, and none leaves its parent directory.
 */
export function channelDirectory(id: string): string {
  const name = encode(id);
  if (name.length <= longestName) return name;
  // `%~` is no encoding of anything, so the name of a long id can't be the name of another.
  return `${name.slice(0, keptOfLongNames)}%~${createHash('sha256').update(name).digest('hex')}`;
}

function encode(id: string): string {
  if (id === '') return '%';
  if (id === '.' || id === '..') return id.replaceAll('.', '%2E');
  return id.replaceAll(/[^A-Za-z0-9._-]/gu, encodeCharacter);
}

function encodeCharacter(character: string): string {
  // Half of a surrogate pair has no UTF-8: all of them would become the same replacement character.
  if (/\p{Surrogate}/u.test(character)) return `%u${hex(character.charCodeAt(0))}`;
  return Array.from(Buffer.from(character), (byte) => `%${hex(byte)}`).join('');
}

function hex(value: number): string {
  return value.toString(16).toUpperCase().padStart(2, '0');
}
