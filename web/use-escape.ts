import { useLayoutEffect } from 'preact/hooks';

/**
 * Closes what lies open on Escape, wherever the focus is. It listens at the document: a field that has a use of its own for the
 * key comes first, and the turn, which listens at the window, last.
 */
export function useEscape(isOpen: boolean, close: () => void): void {
  // Not a moment longer than it is seen: the next Escape is for something else.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      event.preventDefault();
      close();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isOpen]);
}
