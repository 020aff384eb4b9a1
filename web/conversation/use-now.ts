import { useEffect, useState } from 'preact/hooks';
import { serverNow } from '../server-time.js';

/** The time by the gateway's clock, every second; it stands still where `runs` is false. */
export function useNow(runs = true): number {
  const [now, setNow] = useState(serverNow());
  useEffect(() => {
    if (!runs) return;
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), 1000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}
