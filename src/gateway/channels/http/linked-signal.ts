/** The signal is aborted with any of the others. `release` lets go of them. */
export function linkedSignal(others: readonly AbortSignal[]): { signal: AbortSignal; release: () => void } {
  // Not AbortSignal.any: on Node 20 each one stays referenced by a signal that lives as long as the process.
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const other of others) {
    if (other.aborted) abort();
    other.addEventListener('abort', abort);
  }
  const release = () => {
    for (const other of others) other.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}
