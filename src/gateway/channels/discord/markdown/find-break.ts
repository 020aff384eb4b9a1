import type { Fence, FenceMark } from './fence-marks.js';
import { endOfContent, isWhiteSpace } from './white-space.js';

export interface BreakSearch {
  readonly text: string;
  readonly from: number;
  /** The text's end, without white space. */
  readonly end: number;
  /** The most units that the piece may have, the closing of a fence included. */
  readonly room: number;
  /** The fence that is open at `from`. */
  readonly fence: Fence | undefined;
  /** The marks behind `from`. */
  readonly marks: readonly FenceMark[];
}

export interface Break {
  readonly at: number;
  /** The fence that is cut. */
  readonly fence: Fence | undefined;
}

/**
 * What a break costs, in characters by which the piece might be longer: between two blocks it may be so much shorter than
 * at the next best place.
 */
const penalties = {
  block: 0,
  listItem: 150,
  /** Discord removes the indentation at the beginning of a message: the item would look like one of the list around it. */
  indentedItem: 600,
  lineAtSentenceEnd: 300,
  line: 700,
  sentence: 800,
  word: 1100,
  blankLineOfCode: 1000,
  lineOfCode: 1200,
  wordOfCode: 2400,
  inWord: 2600,
  inWordOfCode: 3400,
  /** What is behind it belongs to a heading, or to a line that ends with a colon. */
  introduction: 600,
  inLinkOrCode: 300,
  /** One of the two pieces would have an empty block of code. */
  emptyFence: 5000,
} as const;

/** Looks at every place of the room once and takes the best. */
export function findBreak(search: BreakSearch): Break {
  const { text, from, marks } = search;
  const last = Math.min(from + search.room, search.end - 1);
  let { fence } = search;
  let best: Break = { at: from, fence };
  let bestScore = Number.NEGATIVE_INFINITY;
  let farthest = best;
  let opener: FenceMark | undefined;
  let nextMark = 0;
  const inline = new InlineState();

  const offer = (at: number, penalty: number) => {
    const score = at - from - penalty;
    if (score < bestScore) return;
    best = { at, fence };
    bestScore = score;
  };

  for (let at = from + 1; at <= last; at++) {
    for (let mark = marks[nextMark]; mark !== undefined && mark.to <= at; mark = marks[++nextMark]) {
      fence = mark.fence;
      opener = fence === undefined ? undefined : mark;
    }
    const mark = marks[nextMark];
    if (mark !== undefined && mark.from < at) continue;
    if (at - from + closingLength(text, at, fence) > search.room || isInPair(text, at)) continue;
    farthest = { at, fence };
    if (fence !== undefined) {
      const empty = mark?.from === at || (opener !== undefined && at <= opener.lineEnd);
      const penalty = penaltyInCode(text, at);
      if (penalty !== undefined) offer(at, penalty + (empty ? penalties.emptyFence : 0));
      continue;
    }
    inline.pass(text.charCodeAt(at - 1));
    const code = text.charCodeAt(at);
    if (isWhiteSpace(code) && !isWhiteSpace(text.charCodeAt(at - 1))) {
      offer(at, penaltyOfGap(text, at, inline, mark));
    } else if (fullStops.has(text[at - 1] ?? '')) offer(at, penalties.sentence);
  }
  const inWord = farthest.fence === undefined ? penalties.inWord : penalties.inWordOfCode;
  if (bestScore >= farthest.at - from - inWord) return best;
  const at = betweenGraphemes(search, farthest.at);
  return { ...farthest, at: farthest.fence === undefined ? endOfContent(text, at) : at };
}

/** The lines that close a fence which is cut here. */
export function closingOf(text: string, at: number, fence: Fence | undefined): string {
  if (fence === undefined) return '';
  return text[at - 1] === '\n' ? fence.closing : `\n${fence.closing}`;
}

function closingLength(text: string, at: number, fence: Fence | undefined): number {
  return fence === undefined ? 0 : fence.closing.length + (text[at - 1] === '\n' ? 0 : 1);
}

/** Undefined in the middle of a word. */
function penaltyInCode(text: string, at: number): number | undefined {
  if (text[at - 1] === '\n') return text[at - 2] === '\n' ? penalties.blankLineOfCode : penalties.lineOfCode;
  const between = isWhiteSpace(text.charCodeAt(at - 1)) && !isWhiteSpace(text.charCodeAt(at));
  return between ? penalties.wordOfCode : undefined;
}

/** The penalty of the white space that begins here, by what is on both sides of it. */
function penaltyOfGap(text: string, at: number, inline: InlineState, mark: FenceMark | undefined): number {
  let lineBreaks = 0;
  let to = at;
  // Behind two line breaks nothing changes any more; a longer gap is not looked at in vain for every piece.
  for (; lineBreaks < 2 && isWhiteSpace(text.charCodeAt(to)); to++) if (text[to] === '\n') lineBreaks++;
  const ends = /[.!?…]["')*_]{0,2}$/.test(text.slice(Math.max(0, at - 3), at));
  if (lineBreaks === 0) {
    return (ends ? penalties.sentence : penalties.word) + (inline.within ? penalties.inLinkOrCode : 0);
  }
  const introduces = text[at - 1] === ':' || inline.inHeading ? penalties.introduction : 0;
  const fenceFollows = mark !== undefined && mark.from <= to && mark.fence !== undefined;
  if (lineBreaks === 2 || fenceFollows) return penalties.block + introduces;
  const isIndented = text[to - 1] === ' ' || text[to - 1] === '\t';
  if (listItem.test(text.slice(to, to + 12)))
    return (isIndented ? penalties.indentedItem : penalties.listItem) + introduces;
  return (ends ? penalties.lineAtSentenceEnd : penalties.line) + introduces;
}

const listItem = /^(?:[-*+]|\d{1,9}[.)])[ \t]/;
/** They end a sentence without a space behind them. */
const fullStops: ReadonlySet<string> = new Set(['。', '！', '？']);

/** Whether a place is within code, a link or a heading. It is a guess, which costs at most a less beautiful break. */
class InlineState {
  #inCode = false;
  #inLink = false;
  #lineIsNew = true;
  inHeading = false;

  get within(): boolean {
    return this.#inCode || this.#inLink;
  }

  pass(code: number): void {
    if (code === 10) {
      this.#inCode = false;
      this.#inLink = false;
      this.#lineIsNew = true;
      return;
    }
    if (this.#lineIsNew) this.inHeading = code === 35;
    this.#lineIsNew = false;
    if (code === 96) this.#inCode = !this.#inCode;
    else if (code === 91) this.#inLink = true;
    else if (code === 41) this.#inLink = false;
  }
}

function isInPair(text: string, at: number): boolean {
  const [before, behind] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff;
}

const graphemes = new Intl.Segmenter();

/** The beginning of the character that is cut here, as a reader sees it, unless that is a monster of combining marks. */
function betweenGraphemes({ text, from }: BreakSearch, at: number): number {
  const window = text.slice(from, at + 32);
  const begin = from + (graphemes.segment(window).containing(at - from)?.index ?? at - from);
  return at - begin > 200 || begin <= from ? at : begin;
}
