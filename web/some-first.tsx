import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export interface SomeFirstProps<T> {
  readonly items: readonly T[];
  readonly show: (item: T) => ComponentChildren;
  readonly atOnce?: number;
}

/** The first ones of many; the others are asked for. */
export function SomeFirst<T>({ items, show, atOnce = 100 }: SomeFirstProps<T>) {
  const [limit, setLimit] = useState(atOnce);
  return (
    <>
      {items.slice(0, limit).map(show)}
      {items.length > limit && (
        <p class="long-text-more" data-unread>
          <button type="button" class="small" onClick={() => setLimit(limit * 4)}>
            Show more
          </button>
          <span>{items.length - limit} more</span>
        </p>
      )}
    </>
  );
}
