const counts = /^turnout_(?:undelivered|events\{state="(?:queued|running)"\}) (\d+)$/gm;

/** Whether a gateway's metrics say that nothing waits, runs, or is left to deliver. */
export function isQuiet(metrics: string): boolean {
  const found = [...metrics.matchAll(counts)].map(([, count]) => count);
  return found.length === 3 && found.every((count) => count === '0');
}
