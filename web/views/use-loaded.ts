import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** What was loaded last; it stays while it is loaded again, and when that fails. */
  readonly value?: T;
  /** Why the last attempt failed, in words. */
  readonly failure?: string;
  readonly loading: boolean;
  readonly reload: () => void;
}

/**
 * Loads what a view shows, and again whenever `key` changes (which also forgets what was there), `reload` is called, or
 * `again` says after how many milliseconds; not while the tab is hidden.
 */
export function useLoaded<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  again?: (value: T | undefined) => number | undefined,
): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; failure?: string; loading: boolean }>({
    key,
    loading: true,
  });
  const [round, setRound] = useState(0);
  const latest = useRef({ load, again });
  latest.current = { load, again };
  const reload = useCallback(() => setRound((count) => count + 1), []);

  // `round` asks for the same thing again.
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = (value: T | undefined) => {
      const wait = latest.current.again?.(value);
      if (wait !== undefined) timer = setTimeout(() => (document.hidden ? next(value) : reload()), wait);
    };
    setState((before) => (before.key === key ? { ...before, loading: true } : { key, loading: true }));
    latest.current.load(stop.signal).then(
      (value) => {
        if (stop.signal.aborted) return;
        setState({ key, value, loading: false });
        next(value);
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const failure = error instanceof Error ? error.message : String(error);
        setState((before) => ({ ...before, key, failure, loading: false }));
        next(undefined);
      },
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, round, reload]);

  const { value, failure, loading } =
    state.key === key ? state : { value: undefined, failure: undefined, loading: true };
  return {
    ...(value === undefined ? {} : { value }),
    ...(failure === undefined ? {} : { failure }),
    loading,
    reload,
  };
}
