/**
 * False for what no CLI is given as a session's id, and what is no file's name: nothing at all, what would be read as an option, and
 * what has white space, a slash or a character in it that isn't printed. Ids come from CLIs and from the records that agents can
 * write.
 */
export function isSessionId(id: string): boolean {
  return /^(?!-)[^\s\p{C}/\\]+$/u.test(id);
}

/** False for what nobody can mean by a session to go on with: an id, or a title, which may have blanks in it. */
export function isSessionName(name: string): boolean {
  return isSessionId(name.replaceAll(' ', '_')) && name.trim() !== '';
}
