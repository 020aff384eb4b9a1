/** How long ago something was, in words: `just now`, `5 min ago`, `yesterday`, `2026-01-31`. */
export function ago(at: number, now = Date.now()): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  if (days < 2) return 'yesterday';
  return days < 15 ? `${days} days ago` : new Date(at).toISOString().slice(0, 10);
}
