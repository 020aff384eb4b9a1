import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Unread {
  readonly box: RefObject<HTMLElement | null>;
  /** The number of lines that were not in sight yet; infinite if nobody knows, 0 when it was read to its end. */
  readonly unread: number;
  /** The same, at this moment. */
  isUnread(): boolean;
  /** Goes on to what was not in sight yet. */
  scrollOn(): void;
  /** Goes to its end, or to the next part that is shown only when it is asked for. */
  toEnd(): void;
}

/**
 * Tells whether a box was read to its end: it may be scrolled back then, but what it holds must stay the same. In another
 * size it stays read.
 */
export function useUnread(size: unknown): Unread {
  const box = useRef<HTMLElement>(null);
  const seen = useRef(0);
  const [unread, setUnread] = useState(0);
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
    const look = () => setUnread(isUnread() ? linesBelow(current, seen.current) : 0);
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    const contents = new MutationObserver((changes) => {
      // A number that is drawn again is written again, though it is the same.
      if (changes.every(({ oldValue, target }) => oldValue !== null && oldValue === target.nodeValue)) return;
      seen.current = 0;
      look();
    });
    contents.observe(current, {
      childList: true,
      subtree: true,
      characterData: true,
      characterDataOldValue: true,
    });
    current.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      contents.disconnect();
      current.removeEventListener('scroll', look);
    };
  }, []);
  useLayoutEffect(() => {
    const { current } = box;
    if (current !== null && unread === 0 && seen.current > 0) seen.current = current.scrollHeight;
  }, [size]);
  const scrollOn = () => {
    const { current } = box;
    if (current === null) return;
    if (seenOf(current) < current.scrollHeight - 2) current.scrollBy({ top: pageOf(current) });
    else leftOut(current)?.scrollIntoView({ block: 'center' });
  };
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight });
  return { box, unread, isUnread, scrollOn, toEnd };
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

/** As they are shown: a long line is several ones. */
function linesBelow(box: HTMLElement, seen: number): number {
  if (leftOut(box) !== null) return Number.POSITIVE_INFINITY;
  const text = box.querySelector('.diff-line, .command, .long-text') ?? box;
  const height = Number.parseFloat(getComputedStyle(text).lineHeight) || 20;
  return Math.max(1, Math.round((box.scrollHeight - seen) / height));
}

/** A little of what was in sight stays there. */
function pageOf(box: HTMLElement): number {
  return box.clientHeight * 0.9;
}

/** What is shown only when it is asked for. */
function leftOut(box: HTMLElement): Element | null {
  return box.querySelector('[data-unread]');
}
