import type { Log } from '../../config/log.js';

/**
 * Logs a failure once, and its end. A full disk fails for every page, again and again: log lines must not fill what is
 * left of it.
 */
export class FailureLog {
  readonly #log: Log;
  readonly #failing = new Set<string>();
  readonly #logged = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** True if `act` succeeded. If it fails after the signal, nothing is logged: it was broken off. */
  async watch(what: string, act: () => Promise<void>, signal?: AbortSignal): Promise<boolean> {
    try {
      await act();
    } catch (error) {
      if (signal?.aborted) return false;
      this.#failing.add(what);
      const kind = kindOf(error);
      if (!this.#logged.has(kind)) this.#log.error('the archive can not be written', { what, error });
      this.#logged.add(kind);
      return false;
    }
    if (this.#failing.delete(what) && this.#failing.size === 0) {
      this.#logged.clear();
      this.#log.info('the archive is written again');
    }
    return true;
  }
}

function kindOf(error: unknown): string {
  const { code, fault, name } = error as { code?: unknown; fault?: unknown; name?: unknown };
  return String(code ?? fault ?? name);
}
