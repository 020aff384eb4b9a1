/** How long a pipe may stay silent after its child's exit before we stop listening to whoever still holds it. */
export const quietMs = 200;

/** How long we wait in all for somebody who holds the pipe of an exited child and is never silent. */
export const patienceMs = 1000;

/**
 * Calls back after `ms`, unless cancelled before. Timers run before input in Node's loop, so after a busy stretch
 * a timer can be due although bytes are waiting: one look at the input comes in between.
 */
export function afterQuiet(ms: number, callback: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(callback);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
