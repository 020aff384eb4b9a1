import { useState } from 'preact/hooks';

/** Whether long lines are wrapped: as chosen last in this browser, otherwise on narrow screens only. */
export function useWrap(): readonly [boolean, (wrap: boolean) => void] {
  const [wrap, setWrap] = useState(() => remembered() ?? matchMedia('(max-width: 48rem)').matches);
  return [
    wrap,
    (next) => {
      setWrap(next);
      try {
        localStorage.setItem(key, String(next));
      } catch {
        // A browser that keeps nothing asks again next time.
      }
    },
  ];
}

const key = 'turnout-wrap-lines';

function remembered(): boolean | undefined {
  try {
    const value = localStorage.getItem(key);
    return value === null ? undefined : value === 'true';
  } catch {
    return undefined;
  }
}
