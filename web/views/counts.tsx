import { count } from './numbers-in-words.js';

/** How many lines came and went. */
export function Counts({ additions, deletions }: { readonly additions: number; readonly deletions: number }) {
  return (
    <span class="line-counts">
      {additions > 0 && (
        <span class="plus">
          <span aria-hidden="true">+{additions.toLocaleString()}</span>
          <span class="hidden-visually">{count(additions, 'line')} added</span>
        </span>
      )}{' '}
      {deletions > 0 && (
        <span class="minus">
          <span aria-hidden="true">−{deletions.toLocaleString()}</span>
          <span class="hidden-visually">{count(deletions, 'line')} removed</span>
        </span>
      )}
    </span>
  );
}
