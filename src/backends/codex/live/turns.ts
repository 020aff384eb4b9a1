import { TurnStream, type TurnStreamOptions } from '../../live/turn-stream.js';
import type { TurnEnding } from '../../live/types.js';
import { type CodexTurnState, type CodexTurnStep, endTurn, newCodexTurnState } from './state.js';

/** A running turn: the decoder's state, and the stream of its events. */
export class CodexTurn {
  readonly stream: TurnStream;
  state: CodexTurnState = newCodexTurnState;
  /** It was asked to stop. */
  stopped = false;
  /** The ids of all permission requests that were shown. */
  readonly asked = new Set<string>();
  /** The prompts that it was steered with and that Codex has accepted, by the id of their message. */
  readonly steered = new Map<string, string>();
  /** Steers that Codex has not answered yet. */
  readonly pendingSteers = new Set<Promise<boolean>>();

  constructor(options: TurnStreamOptions = {}) {
    this.stream = new TurnStream(options);
  }

  /** Takes a step. Its ending, if it has one, is not pushed but returned, for `finish`. */
  take([state, events]: CodexTurnStep): TurnEnding | undefined {
    this.state = state;
    let ending: TurnEnding | undefined;
    for (const event of events) {
      if (event.type === 'ending') ending = event;
      else this.stream.push(event);
    }
    return ending;
  }

  finish(ending: TurnEnding): void {
    this.stream.push(ending);
  }

  /** Ends the turn in whatever state it is. */
  fail(ending: TurnEnding['ending'] & { type: 'failed' }): void {
    this.finish(this.take(endTurn(this.state, ending)) ?? { type: 'ending', ending });
  }
}
