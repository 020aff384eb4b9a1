import { emptyLine, type Line, plainLine } from '../text/styled-line.js';
import { wrapLine } from '../text/wrap.js';
import { type Block, type ChatState, type Effect, type Step, textWidth } from './chat-state.js';

/** Puts the parts of a step together: each adds to what the ones before it have printed and asked for. */
export class StepBuilder {
  state: ChatState;
  readonly print: Line[] = [];
  readonly effects: Effect[] = [];

  constructor(state: ChatState) {
    this.state = state;
  }

  set(change: Partial<ChatState>): void {
    this.state = { ...this.state, ...change };
  }

  effect(effect: Effect): void {
    this.effects.push(effect);
  }

  /**
   * Prints rows; an empty one stands between things of different kinds. In a narrow window our own words are too long, too;
   * what the agent says is broken already, and what is wider in it is meant to be.
   */
  lines(block: Block, rows: readonly Line[]): void {
    if (rows.length === 0) return;
    if (needsGap(this.state, block)) this.print.push(emptyLine);
    const width = textWidth(this.state);
    this.add(block === 'text' ? rows : rows.flatMap((row) => wrapLine(row, width, { wholeWords: true })));
    this.set({ block, endsBlank: rows.at(-1)?.length === 0 });
  }

  /** One by one: there may be more than a call takes arguments. */
  add(rows: readonly Line[]): void {
    for (const row of rows) this.print.push(row);
  }

  /** A word below the field, for a while; where nothing can be written over, a line. */
  hint(text: string, now: number, forMs = 8000): void {
    this.set({ hint: { text, until: now + forMs } });
    if (!this.state.movesCursor) this.lines('note', [plainLine(text, 'dim')]);
  }

  done(): Step {
    const { state, print, effects } = this;
    return { state, print, effects };
  }
}

export function needsGap({ block, endsBlank }: ChatState, next: Block): boolean {
  if (endsBlank || block === 'nothing' || next === 'usage') return false;
  return block !== next || next === 'said' || next === 'question';
}
