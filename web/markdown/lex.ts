import { Lexer, type Token, type Tokens } from 'marked';
import { BoundedTokenizer, cellsIn } from './bounded-tables.js';
import { InlineBudget } from './inline-budget.js';

/** A text in blocks, as far as it has come: `raw` of all blocks joined is the text. */
export interface Lexed {
  readonly text: string;
  readonly blocks: readonly Token[];
}

export const nothingLexed: Lexed = { text: '', blocks: [] };

/**
 * Splits a text into blocks. If it begins with the text before, only its open end is read anew: more text can't change the
 * others, which stay the same objects. Two things may look different until the whole text is read at once: a reference
 * (`[1]: https://…`) does not reach blocks that were read before it, and HTML that was never closed.
 */
export function lex(text: string, before: Lexed = nothingLexed): Lexed {
  const source = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  if (before.text === source) return before;
  const kept = source.startsWith(before.text) ? before.blocks.slice(0, openFrom(before.blocks)) : [];
  const length = kept.reduce((sum, { raw }) => sum + raw.length, 0);
  return { text: source, blocks: [...kept, ...lexAll(source.slice(length), cellsIn(kept))] };
}

/**
 * The first block that more text may change: the last one, with those above that no blank line divides from it, for an
 * unfinished line may still turn out to belong to them. Blank lines at the end divide nothing: a list may go on behind them.
 */
function openFrom(blocks: readonly Token[]): number {
  let at = blocks.findLastIndex(({ type }) => type !== 'space');
  while (at > 0 && !endsBlank(blocks[at - 1])) at -= 1;
  return Math.max(0, at);
}

function endsBlank(block: Token | undefined): boolean {
  return block?.type === 'space' || block?.raw.endsWith('\n\n') === true;
}

/** Deeper ones are left as they are: each level reads all its text again, and the stack has an end. */
const maxDepth = 12;
/** Each is an element, or several. A text of 200,000 characters that somebody wants to read has a few thousand. */
const maxInlineTokens = 10_000;

class BoundedLexer extends Lexer {
  #depth = 0;

  // biome-ignore lint/suspicious/noExplicitAny: the lexer overloads it for two kinds of lists
  override blockTokens(source: string, tokens: any = [], lastParagraphClipped?: boolean): any {
    if (this.#depth >= maxDepth) {
      tokens.push({ type: 'text', raw: source, text: source });
      return tokens;
    }
    this.#depth += 1;
    try {
      return super.blockTokens(source, tokens, lastParagraphClipped);
    } finally {
      this.#depth -= 1;
    }
  }
}

function lexAll(source: string, cellsBefore: number): readonly Token[] {
  const lexer = new BoundedLexer({ gfm: true, tokenizer: new BoundedTokenizer(cellsBefore) });
  const blocks: Token[] = [];
  try {
    lexer.blockTokens(source, blocks);
    let count = 0;
    const budget = new InlineBudget();
    for (const { src, tokens } of lexer.inlineQueue) {
      if (count < maxInlineTokens && budget.take(src)) lexer.inlineTokens(src, tokens);
      else tokens.push({ type: 'text', raw: src, text: src } as Tokens.Text);
      count += countAll(tokens);
    }
    return blocks;
  } catch {
    // The lexer gives up on nothing that is known; a text that it does not understand is shown as it is.
    return [{ type: 'text', raw: source, text: source } as Tokens.Text];
  }
}

function countAll(tokens: readonly Token[]): number {
  return tokens.reduce((sum, token) => sum + 1 + ('tokens' in token ? countAll(token.tokens ?? []) : 0), 0);
}
