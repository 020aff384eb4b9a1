import { noReply } from '../../core/seeded-prompt.js';

/** Stands for the answer of a schedule's turn that had nothing to say (docs/schedules.md). */
export const nothingToSay = '(nothing to say)';

/** Holds the beginning of an answer back as long as it may become one that says nothing. */
export class AnswerBeginning {
  #held: string | undefined;

  /** A turn has begun, or a tool: what is said next is a beginning. */
  begins(): void {
    this.#held = '';
  }

  /** Returns what can be shown by now. */
  text(piece: string): string {
    if (this.#held === undefined) return piece;
    const text = this.#held + piece;
    const mayBeSilence = noReply.startsWith(text.trim());
    this.#held = mayBeSilence ? text : undefined;
    return mayBeSilence ? '' : text;
  }

  /** Returns what was held back: it is shown, or said otherwise. */
  release(): string {
    const held = this.#held ?? '';
    this.#held = undefined;
    return held;
  }

  get isHeld(): boolean {
    return (this.#held ?? '').trim() !== '';
  }
}
