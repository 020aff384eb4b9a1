/**
 * The same reading for all who ask within some time; a failed one is not kept. The clock is one that nobody can set.
 */
export function keptFor<T>(
  ms: number,
  read: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let kept: { readonly value: Promise<T>; readonly until: number } | undefined;
  return () => {
    if (kept !== undefined && now() < kept.until) return kept.value;
    const value = read();
    const reading = { value, until: now() + ms };
    kept = reading;
    value.catch(() => {
      if (kept === reading) kept = undefined;
    });
    return value;
  };
}
