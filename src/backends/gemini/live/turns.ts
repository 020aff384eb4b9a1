import { TurnStream, type TurnStreamOptions } from '../../live/turn-stream.js';
import type { LiveEvent } from '../../live/types.js';
import { interruptedEnding } from '../../output/ending.js';
import { type GeminiLiveState, type GeminiMessage, geminiLiveInitial, geminiLiveStep } from './decoder.js';

/** The agent's side of one turn. It lasts until the agent answers the prompt, whoever still listens. */
export class Turn {
  readonly stream: TurnStream;
  interrupted = false;
  #state: GeminiLiveState = geminiLiveInitial;

  constructor(options: TurnStreamOptions = {}) {
    this.stream = new TurnStream(options);
  }

  step(message: GeminiMessage): readonly LiveEvent[] {
    const [state, events] = geminiLiveStep(this.#state, message);
    this.#state = state;
    return this.interrupted ? events.map(asInterrupted) : events;
  }
}

/** A stopped turn may end with the error that it was about to end with: a 429 goes before the cancellation. */
function asInterrupted(event: LiveEvent): LiveEvent {
  if (event.type !== 'ending' || event.ending.type !== 'failed') return event;
  return { type: 'ending', ending: interruptedEnding };
}
