import type { StepEvent } from '../../../core/chat-event.js';
import { EventQueue } from '../../live/turn-stream.js';
import type { LiveEvent, TurnEnding } from '../../live/types.js';
import { type CodexTurn, endTurn, newTurn, type TurnStep } from './decoder.js';

/** What a reader that does not keep up may leave unread. Other sessions share the pipe: it can't be made to wait. */
const maxUnreadChars = 32 * 1024 * 1024;

/** A running turn: the decoder's state, and the events on their way to whoever reads them. */
export class RunningTurn {
  state: CodexTurn = newTurn;
  /** The caller wants it to stop. */
  stopping = false;
  /** Nobody reads it. */
  unread = false;
  /** What was said into it and taken, by id. */
  readonly told = new Map<string, string>();
  /** What was said into it and has no answer yet. */
  readonly telling = new Set<Promise<boolean>>();
  /** Resolves when its ending is in the queue. */
  readonly over: Promise<void>;
  readonly #queue = new EventQueue<LiveEvent>({ limit: maxUnreadChars, weightOf: charsOf });
  #settle: () => void = () => {};

  constructor() {
    this.over = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Takes a step; the ending, if it is one, is kept back for `finish`. */
  take([state, events]: TurnStep): { readonly ending?: TurnEnding } {
    this.state = state;
    let ending: TurnEnding | undefined;
    for (const event of events) {
      if (event.type === 'ending') ending = event;
      else this.push(event);
    }
    return ending === undefined ? {} : { ending };
  }

  push(event: StepEvent): void {
    if (!this.unread) this.unread = !this.#queue.push(event);
  }

  finish(ending: TurnEnding): void {
    this.#queue.end(ending);
    this.#settle();
  }

  /** Ends it whatever state it is in. */
  fail(ending: TurnEnding['ending'] & { type: 'failed' }): void {
    const { ending: last } = this.take(endTurn(this.state, ending));
    this.finish(last ?? { type: 'ending', ending });
  }

  events(): AsyncIterable<LiveEvent> {
    return this.#queue;
  }
}

function charsOf(event: LiveEvent): number {
  const fixed = 200;
  switch (event.type) {
    case 'text':
    case 'thinking':
      return fixed + event.text.length;
    case 'tool_end':
      return fixed + event.output.length;
    case 'notice':
      return fixed + (event.raw?.length ?? 0);
    default:
      return fixed;
  }
}
