import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** True from the moment on at which the element is in sight, or not far from it. */
export function useNear<T extends Element>(): readonly [RefObject<T | null>, boolean] {
  const element = useRef<T>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || element.current === null) return;
    // `scrollMargin` is for the view, which scrolls inside the page; a browser without it draws a little later.
    const margin = { rootMargin: '800px 0px', scrollMargin: '800px 0px' };
    const observer = new IntersectionObserver(
      (entries) => setNear(entries.some((entry) => entry.isIntersecting)),
      margin,
    );
    // The file around it has its place at once, what is in it only when it comes into sight.
    observer.observe(element.current.closest('.changed-file') ?? element.current);
    return () => observer.disconnect();
  }, [near]);
  return [element, near];
}
