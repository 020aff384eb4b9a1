import { TurnStream, type TurnStreamOptions } from '../../live/turn-stream.js';
import type { LiveEvent } from '../../live/types.js';
import { interruptedEnding } from '../../output/ending.js';
import { type GeminiMessage, stepGeminiTurn } from './decoder.js';
import { type GeminiTurnState, newGeminiTurnState } from './state.js';

/** A running turn: the decoder's state, and the stream of its events. It lasts until the agent answers the prompt. */
export class GeminiTurn {
  readonly stream: TurnStream;
  /** It was asked to stop. */
  stopped = false;
  #state: GeminiTurnState = newGeminiTurnState;

  constructor(options: TurnStreamOptions = {}) {
    this.stream = new TurnStream(options);
  }

  step(message: GeminiMessage): readonly LiveEvent[] {
    const [state, events] = stepGeminiTurn(this.#state, message);
    this.#state = state;
    return this.stopped ? events.map(asInterrupted) : events;
  }
}

/** A stopped turn may end with the error that it was about to end with: a 429 comes before the cancellation. */
function asInterrupted(event: LiveEvent): LiveEvent {
  if (event.type !== 'ending' || event.ending.type !== 'failed') return event;
  return { type: 'ending', ending: interruptedEnding };
}
