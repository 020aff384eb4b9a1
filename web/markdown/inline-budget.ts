/** In a longer paragraph nothing is looked for. */
const maxLength = 10_000;
/** Of one paragraph: one of 5,000 characters with 200 signs in it, which is more than anybody reads. */
const maxWork = 1_000_000;
/** Of all paragraphs of a text. */
const maxWorkInAll = 10_000_000;

/**
 * Says which paragraphs are looked through for emphasis, links and code. For each sign that may begin one the lexer looks
 * through the rest of the paragraph: a model could hold up the page for a minute with ten thousand characters.
 */
export class InlineBudget {
  #left = maxWorkInAll;

  /** False for a paragraph that is too much work: it is shown as it was written. */
  take(source: string): boolean {
    const work = inlineWork(source);
    if (source.length > maxLength || work > maxWork || work > this.#left) return false;
    this.#left -= work;
    return true;
  }
}

/** The characters that the lexer looks at, at the most. */
export function inlineWork(source: string): number {
  return source.length * (1 + (source.match(signs)?.length ?? 0));
}

const signs = /[*_~`![\]<&@\\\n]|:\/\/|www\./g;
