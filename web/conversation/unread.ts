import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

export interface Unread {
  readonly box: RefObject<HTMLElement | null>;
  /** True as long as the end of what the box holds was not in sight. */
  readonly unread: boolean;
  /** The same, at this moment. */
  isUnread(): boolean;
  /** Goes on to what was not in sight yet. */
  scrollOn(): void;
}

/** Tells whether a box was read to its end: it may be scrolled back then, but what it holds must stay the same. */
export function useUnread(): Unread {
  const box = useRef<HTMLElement>(null);
  const seen = useRef(0);
  const [unread, setUnread] = useState(false);
  const isUnread = () => {
    const { current } = box;
    if (current === null) return false;
    seen.current = Math.max(seen.current, seenOf(current));
    // Sizes are rounded.
    return seen.current < current.scrollHeight - 2 || leftOut(current) !== null;
  };
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const look = () => setUnread(isUnread());
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    const contents = new MutationObserver(() => {
      seen.current = 0;
      look();
    });
    contents.observe(current, { childList: true, subtree: true, characterData: true });
    current.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      contents.disconnect();
      current.removeEventListener('scroll', look);
    };
  }, []);
  const scrollOn = () => {
    const { current } = box;
    if (current === null) return;
    if (seenOf(current) < current.scrollHeight - 2) current.scrollBy({ top: pageOf(current) });
    else leftOut(current)?.scrollIntoView({ block: 'center' });
  };
  return { box, unread, isUnread, scrollOn };
}

/** Scrolls a box with the keys that would scroll it if it had the focus. */
export function scrollWith(event: KeyboardEvent, box: HTMLElement | null): void {
  if (box === null || box.scrollHeight <= box.clientHeight) return;
  const page = pageOf(box);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 40,
    ArrowUp: -40,
    PageDown: page,
    PageUp: -page,
    ' ': page,
  };
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  box.scrollBy({ top: step });
}

function seenOf(box: HTMLElement): number {
  return box.scrollTop + box.clientHeight;
}

/** A little of what was in sight stays there. */
function pageOf(box: HTMLElement): number {
  return box.clientHeight * 0.9;
}

/** What is shown only when it is asked for. */
function leftOut(box: HTMLElement): Element | null {
  return box.querySelector('[data-unread]');
}
