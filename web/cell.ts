import { useEffect, useReducer } from 'preact/hooks';

/** A value that can be watched. */
export class Cell<T> {
  #value: T;
  readonly #watchers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const watch of [...this.#watchers]) watch();
  }

  watch(watch: () => void): () => void {
    this.#watchers.add(watch);
    return () => this.#watchers.delete(watch);
  }
}

/** The cell's value; the component is drawn again when it changes. */
export function useCell<T>(cell: Cell<T>): T {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const { value } = cell;
  useEffect(() => {
    // It may have changed between the drawing and now.
    if (!Object.is(cell.value, value)) redraw(undefined);
    return cell.watch(() => redraw(undefined));
    // Only another cell is a reason to watch anew.
  }, [cell]);
  return value;
}
