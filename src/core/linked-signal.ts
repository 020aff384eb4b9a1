/**
 * The signal is aborted with any of the others. `release` lets go of them.
 *
 * It is for others that live as long as the process: `AbortSignal.any` leaves a weak reference with them on Node 20, about 100 bytes
 * each time. For those that live as long as a turn, it will do.
 */
export function linkedSignal(others: readonly AbortSignal[]): { signal: AbortSignal; release: () => void } {
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
