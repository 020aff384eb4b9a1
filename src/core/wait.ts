/** The longest delay of `setTimeout`: with a longer one it fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** The result of `within` if the time is up first. */
export const late = Symbol('late');

/** Settles like the first of the promises to settle, or resolves to `late` after `ms`; 0 waits for ever. */
export async function within<T>(ms: number, ...promises: readonly Promise<T>[]): Promise<T | typeof late> {
  if (ms <= 0) return Promise.race(promises);
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), Math.min(ms, longestTimerMs));
  });
  try {
    return await Promise.race([...promises, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles like the promise, or rejects with the signal's reason if the signal is aborted first. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
