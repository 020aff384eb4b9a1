/** If a pipe is silent this long after its child's exit, reading ends, even if another process holds it. */
export const quietMs = 200;

/** The longest wait for the pipe of an exited child if another process holds it and is never silent. */
export const patienceMs = 1000;

/**
 * Calls back after `ms`, unless cancelled before. Node's loop runs timers before input, so after a busy
 * stretch a timer can be due although bytes are waiting: the callback comes after one more check of the
 * input.
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
