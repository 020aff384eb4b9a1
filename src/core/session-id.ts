/**
 * False for what no CLI is given as a session's id, and what is no file's name: nothing at all, what would be read as an option, and
 * what has white space, a slash or a character in it that isn't printed. Ids come from CLIs, from the records that agents can write, and
 * from people.
 */
export function isSessionId(id: string): boolean {
  return /^(?!-)[^\s\p{C}/\\]+$/u.test(id);
}
