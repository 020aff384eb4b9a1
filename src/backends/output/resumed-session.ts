/** True if a CLI that was given the one id to resume, and answers with the other, has resumed that session. */
export function isSameSession(wanted: string, told: string): boolean {
  return wanted === told || (uuidDigits(wanted) ?? wanted) === uuidDigits(told);
}

/**
 * The same for a CLI that takes other words for a session too (Claude a title, Gemini `latest` or a number), and fails by itself if
 * they mean none: what is no id may be answered with any.
 */
export function isNamedSession(wanted: string, told: string): boolean {
  return uuidDigits(wanted) === undefined || isSameSession(wanted, told);
}

/** The words for a CLI that works in another session than the one it was to resume. */
export function otherSession(label: string, wanted: string, told: string): string {
  return `${label} CLI error: session ${JSON.stringify(wanted)} was not found (${label} began ${JSON.stringify(told)} instead, which was stopped)`;
}

/** True for what counts of a turn in another session: the tools that have begun, and what the CLI warns of. */
export function countsElsewhere({ type }: { readonly type: string }): boolean {
  return type === 'tool_start' || type === 'tool_end' || type === 'notice';
}

/** A UUID may be written in several ways, and Codex, which takes them all, prints lower case with hyphens. */
function uuidDigits(id: string): string | undefined {
  const digits = id.toLowerCase().replace(/^urn:uuid:|[{}-]/g, '');
  return /^[0-9a-f]{32}$/.test(digits) ? digits : undefined;
}
