/** The longest delay of `setTimeout`: with a longer one it fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** A program that runs calls its timers within this time; later ones tell that it was held up. */
const punctualMs = 100;
/** Output that came while the program was held up is read within this time. */
const catchUpMs = 1000;
/** A machine that is always late must not put a deadline off for ever. */
const maxCatchUps = 5;

export interface Deadline {
  cancel(): void;
  /** Lets the program end while the deadline is to come. */
  unref(): this;
}

/**
 * Calls back when the time is up, for a clock that judges somebody else. A program that was stopped, or too busy, runs its
 * timers before it reads what has come meanwhile: an answer that is there already. So a deadline that comes late lets
 * that be read first, for a second.
 */
export function setDeadline(ms: number, act: () => void): Deadline {
  return new PatientTimer(ms, act);
}

class PatientTimer implements Deadline {
  readonly #act: () => void;
  #timer: NodeJS.Timeout;
  #dueAt: number;
  #catchUps = 0;
  #keepsAlive = true;

  constructor(ms: number, act: () => void) {
    this.#act = act;
    const capped = Math.min(ms, longestTimerMs);
    this.#dueAt = performance.now() + capped;
    this.#timer = setTimeout(this.#ring, capped);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  unref(): this {
    this.#keepsAlive = false;
    this.#timer.unref();
    return this;
  }

  readonly #ring = (): void => {
    const now = performance.now();
    if (now - this.#dueAt <= punctualMs || this.#catchUps >= maxCatchUps) {
      this.#act();
      return;
    }
    this.#catchUps += 1;
    this.#dueAt = now + catchUpMs;
    this.#timer = setTimeout(this.#ring, catchUpMs);
    if (!this.#keepsAlive) this.#timer.unref();
  };
}

/** The result of `within` if the time is up first. */
export const late = Symbol('late');

/** Settles like the first of the promises to settle, or resolves to `late` after `ms`; 0 waits for ever. */
export async function within<T>(ms: number, ...promises: readonly Promise<T>[]): Promise<T | typeof late> {
  if (ms <= 0) return Promise.race(promises);
  let deadline: Deadline | undefined;
  const timeUp = new Promise<typeof late>((resolve) => {
    deadline = setDeadline(ms, () => resolve(late));
  });
  try {
    return await Promise.race([...promises, timeUp]);
  } finally {
    deadline?.cancel();
  }
}

/** Settles like the promise, or rejects with the signal's reason if the signal is aborted first. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) {
    // Nobody hears of its own failure then, which would end the program.
    promise.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
