import { useRef } from 'preact/hooks';
import type { Conversation } from '../feed/conversation.js';
import { arrange, type Row } from '../feed/timeline.js';

const rowsInBlock = 40;

/**
 * The rows in blocks. Rows and blocks that have not changed stay the same objects, so that a long conversation is not drawn
 * again for each word of the last answer.
 */
export function useRowBlocks({ messages, turns, status }: Conversation): readonly (readonly Row[])[] {
  const last = useRef<{ rows: ReadonlyMap<string, Row>; blocks: readonly (readonly Row[])[] }>({
    rows: new Map(),
    blocks: [],
  });
  // One that is tried again was seen already: it stays, with what became of it so far.
  const unseen = status?.waiting.filter(
    ({ lastError, retryAt }) => lastError === undefined && retryAt === undefined,
  );
  const waiting = new Set(unseen?.map(({ eventId }) => eventId));
  const rows = arrange({ messages, turns, waiting }).map((row) => {
    const before = last.current.rows.get(row.key);
    return before !== undefined && isSame(before, row) ? before : row;
  });
  const blocks = keepBlocks(last.current.blocks, cut(rows));
  last.current = { rows: new Map(rows.map((row) => [row.key, row])), blocks };
  return blocks;
}

/** Blocks are cut at rows whose key says so, not by counting: a page in front of them leaves them as they are. */
function cut(rows: readonly Row[]): readonly (readonly Row[])[] {
  const blocks: Row[][] = [];
  let block: Row[] = [];
  for (const [index, row] of rows.entries()) {
    block.push(row);
    const fromEnd = rows.length - index;
    if (block.length >= rowsInBlock || (isCut(row) && block.length >= rowsInBlock / 2 && fromEnd > 2)) {
      blocks.push(block);
      block = [];
    }
  }
  if (block.length > 0) blocks.push(block);
  return blocks;
}

function isCut({ message }: Row): boolean {
  return message !== undefined && Number(message.id) % rowsInBlock === 0;
}

function keepBlocks(
  before: readonly (readonly Row[])[],
  now: readonly (readonly Row[])[],
): readonly (readonly Row[])[] {
  const byFirst = new Map(before.map((block) => [block[0]?.key, block]));
  return now.map((block) => {
    const known = byFirst.get(block[0]?.key);
    const isKnown = known?.length === block.length && known.every((row, index) => row === block[index]);
    return isKnown ? known : block;
  });
}

function isSame(one: Row, other: Row): boolean {
  if (one.type !== other.type || one.message !== other.message) return false;
  if (one.type === 'past' && other.type === 'past') return one.last === other.last;
  if (one.type !== 'answer' || other.type !== 'answer') return true;
  return (
    one.told === other.told &&
    one.joined === other.joined &&
    one.within.length === other.within.length &&
    one.turns.length === other.turns.length &&
    one.turns.every((turn, index) => turn === other.turns[index])
  );
}
