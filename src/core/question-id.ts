/** As much of a question's id as a person types: `prm_3f2a91c0-…` is `3f2a91c0`. */
export function shortQuestionId(id: string): string {
  return /^prm_([0-9a-f]{8})-/.exec(id)?.[1] ?? id;
}

const shortest = 4;

/** True if somebody who writes this means the question: its id, or the beginning of it with or without `prm_`. */
export function isQuestionId(written: string, id: string): boolean {
  if (written === id) return true;
  const [word, whole] = [written, id].map((text) => text.toLowerCase().replace(/^prm_/, ''));
  return word !== undefined && word.length >= shortest && whole?.startsWith(word) === true;
}
