import { type Token, Tokenizer, type Tokens } from 'marked';

/** A row is filled up to the columns of the header: three thousand characters make a table of 200,000 cells. */
const maxCells = 2_000;
/** Of all tables of a text. */
const maxCellsInAll = 8_000;

/** A table with more cells than the page can lay out. It is shown as it was written. */
export interface LargeTable {
  readonly type: 'large table';
  readonly raw: string;
  readonly cells: number;
}

export function isLargeTable(token: { readonly type: string }): token is LargeTable {
  return token.type === 'large table';
}

/** Counts a table's cells before it makes them. */
export class BoundedTokenizer extends Tokenizer {
  #cells: number;

  constructor(cellsBefore: number) {
    super();
    this.#cells = cellsBefore;
  }

  override table(source: string): Tokens.Table | undefined {
    const found = this.rules.block.table.exec(source);
    if (found === null) return undefined;
    const [raw, , delimiters = '', rows = ''] = found;
    const columns = delimiters.split('|').filter((part) => part.trim() !== '').length;
    const cells = columns * (1 + rows.trimEnd().split('\n').length);
    if (cells > maxCells || this.#cells + cells > maxCellsInAll) {
      const large: LargeTable = { type: 'large table', raw, cells };
      // The lexer only takes it in.
      return large as unknown as Tokens.Table;
    }
    const table = super.table(source);
    if (table !== undefined) this.#cells += cells;
    return table;
  }
}

const known = new WeakMap<Token, number>();

/** The number of cells in blocks that were read before. */
export function cellsIn(blocks: readonly Token[]): number {
  return blocks.reduce((sum, block) => sum + cellsOf(block), 0);
}

function cellsOf(block: Token): number {
  if (block.type === 'table') {
    const { header, rows } = block as Tokens.Table;
    return header.length * (1 + rows.length);
  }
  const { items, tokens } = block as Partial<Tokens.List & Tokens.Blockquote>;
  if (block.type !== 'list' && block.type !== 'blockquote' && block.type !== 'list_item') return 0;
  const cells = known.get(block) ?? cellsIn([...(items ?? []), ...(tokens ?? [])]);
  known.set(block, cells);
  return cells;
}
