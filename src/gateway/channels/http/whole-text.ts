/** A lone half of a surrogate pair is no text: it would come out of the store as something else. */
export function isWholeText(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

export const notWholeText = 'it holds half of a surrogate pair, which is no text';
