/**
 * The beginning of a session's id, which `--resume` takes too. It is so long because Codex's and OpenCode's ids begin with
 * the time: those of one minute have more than eight letters in common.
 */
export function shortId(sessionId: string): string {
  const length = /^[0-9a-f]{8}-/.test(sessionId) ? 13 : 16;
  return sessionId.slice(0, length);
}
