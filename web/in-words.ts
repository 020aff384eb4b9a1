/** 950, 12.3k, 1.2M */
export function countInWords(count: number): string {
  if (count < 1000) return String(count);
  if (count < 100_000) return `${(count / 1000).toFixed(1)}k`;
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** 8 s, 2 min 5 s, 1 h 3 min */
export function durationInWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A text that another sentence may follow: what a CLI says often has no full stop. */
export function sentence(text: string): string {
  const said = text.trimEnd();
  return said === '' || /[.!?…:;][\p{Pe}\p{Pf}"'`]*$/u.test(said) ? said : `${said}.`;
}

/** The time of day, with the day if it was another one. */
export function timeInWords(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const time = at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  if (at.toDateString() === now.toDateString()) return time;
  const year = at.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return `${at.toLocaleDateString(undefined, { day: 'numeric', month: 'short', ...year })}, ${time}`;
}

/** A conversation in which nothing was said has no title but its id. */
export function titleInWords({
  title,
  channel,
}: {
  readonly title: string;
  readonly channel: string;
}): string {
  return title === channel && /^chat-\d/.test(channel) ? 'New conversation' : title;
}

/** Markdown without its signs; of a question in words, the tool and what it is about. For where a text is told in one line. */
export function plainWords(text: string): string {
  const asked = /^(Permission needed for .*?)(?:\s[{[]|\n|$)/.exec(text);
  if (asked?.[1] !== undefined) return asked[1];
  return text
    .replace(/^ {0,3}(?:```|~~~).*$/gm, '')
    .replace(/^\s{0,3}(?:#{1,6}|>|[-*+]|\|)\s+/gm, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, '$2')
    .replace(/`([^`\n]+)`/g, '$1');
}

/** The first words of a text, on one line. */
export function firstWords(text: string, length: number): string {
  const line = text
    .slice(0, length * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
