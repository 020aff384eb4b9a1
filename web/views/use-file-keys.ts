import { useEffect } from 'preact/hooks';
import { nextFile } from './file-list.js';

/** `j` and `k` lead from file to file, unless somebody types, or works in another part of the page. */
export function useFileKeys(list: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const view = list.current?.closest('.changes');
      if (!view || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target as HTMLElement;
      if (target !== document.body && !view.contains(target)) return;
      if (target.closest('input, textarea, select, [contenteditable]') !== null) return;
      const names = [...(list.current?.querySelectorAll<HTMLElement>('.file-name') ?? [])];
      const current = names.findIndex((name) => name.closest('li')?.contains(document.activeElement));
      const next = nextFile(event.key, current, names.length);
      if (next === undefined) return;
      event.preventDefault();
      names[next]?.focus({ preventScroll: true });
      names[next]?.closest('li')?.scrollIntoView({ block: 'start' });
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [list]);
}
