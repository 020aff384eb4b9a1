import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** True if something of a box is below what can be seen of it, or is shown only when it is asked for (`data-unread`). */
export function isUnread(box: HTMLElement | null): boolean {
  if (box === null) return false;
  // Sizes are rounded.
  const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 2;
  return !isAtEnd || box.querySelector('[data-unread]') !== null;
}

/** Tells whether a box is unread, while it is scrolled and what it holds changes. */
export function useUnread(): { readonly box: RefObject<HTMLElement | null>; readonly unread: boolean } {
  const box = useRef<HTMLElement>(null);
  const [unread, setUnread] = useState(false);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const look = () => setUnread(isUnread(current));
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    const contents = new MutationObserver(look);
    contents.observe(current, { childList: true, subtree: true, characterData: true });
    current.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      contents.disconnect();
      current.removeEventListener('scroll', look);
    };
  }, []);
  return { box, unread };
}

/** Scrolls a box with the keys that would scroll it if it had the focus. */
export function scrollWith(event: KeyboardEvent, box: HTMLElement | null): void {
  const page = (box?.clientHeight ?? 0) * 0.9;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 40,
    ArrowUp: -40,
    PageDown: page,
    PageUp: -page,
    ' ': page,
  };
  const step = steps[event.key];
  if (step === undefined || box === null || box.scrollHeight <= box.clientHeight) return;
  event.preventDefault();
  box.scrollBy({ top: step });
}
