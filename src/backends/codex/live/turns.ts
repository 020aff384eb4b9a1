import type { StepEvent } from '../../../core/chat-event.js';
import { TurnStream, type TurnStreamOptions } from '../../live/turn-stream.js';
import type { TurnEnding } from '../../live/types.js';
import { type CodexTurn, endTurn, newTurn, type TurnStep } from './decoder.js';

/** A running turn: the decoder's state, and the stream of its events. */
export class RunningTurn {
  readonly stream: TurnStream;
  state: CodexTurn = newTurn;
  /** The caller wants it to stop. */
  stopping = false;
  /** What was said into it and taken, by id. */
  readonly told = new Map<string, string>();
  /** What was said into it and has no answer yet. */
  readonly telling = new Set<Promise<boolean>>();

  constructor(options: TurnStreamOptions = {}) {
    this.stream = new TurnStream(options);
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
    this.stream.push(event);
  }

  finish(ending: TurnEnding): void {
    this.stream.push(ending);
  }

  /** Ends it whatever state it is in. */
  fail(ending: TurnEnding['ending'] & { type: 'failed' }): void {
    const { ending: last } = this.take(endTurn(this.state, ending));
    this.finish(last ?? { type: 'ending', ending });
  }
}
