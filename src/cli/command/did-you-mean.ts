import { nearest } from '../../core/distance.js';

/** The question behind a word that is not known, with a blank before it; empty if no known word is like it. */
export function didYouMean(
  written: string,
  known: readonly string[],
  shown: (name: string) => string = (name) => name,
): string {
  const near = nearest(written, known);
  return near === undefined ? '' : ` Did you mean ${shown(near)}?`;
}
