import { useEffect, useState } from 'preact/hooks';

/** The time, every second; it stands still where `runs` is false. */
export function useNow(runs = true): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!runs) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}
