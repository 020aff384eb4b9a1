import { EventQueue } from '../../live/turn-stream.js';
import type { LiveEvent, TurnEnding } from '../../live/types.js';
import { interruptedEnding } from '../../output/ending.js';
import { type GeminiLiveState, type GeminiMessage, geminiLiveInitial, geminiLiveStep } from './decoder.js';

/** The agent's side of one turn. It lasts until the agent answers the prompt, whoever still listens. */
export class Turn {
  readonly events = new EventQueue<LiveEvent>();
  readonly over: Promise<void>;
  interrupted = false;
  /** Nobody reads it any more. */
  abandoned = false;
  overflowed = false;
  #state: GeminiLiveState = geminiLiveInitial;
  #settle: () => void = () => {};

  constructor() {
    this.over = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  step(message: GeminiMessage): readonly LiveEvent[] {
    const [state, events] = geminiLiveStep(this.#state, message);
    this.#state = state;
    return this.interrupted ? events.map(asInterrupted) : events;
  }

  push(event: LiveEvent): void {
    if (!this.abandoned && !this.overflowed) this.overflowed = !this.events.push(event);
  }

  end(): void {
    this.events.end(this.overflowed ? tooSlow : undefined);
    this.#settle();
  }
}

const tooSlow: TurnEnding = {
  type: 'ending',
  ending: { type: 'failed', code: 'unknown', message: 'The turn was stopped: its events were not read' },
};

/** A stopped turn may end with the error that it was about to end with: a 429 goes before the cancellation. */
function asInterrupted(event: LiveEvent): LiveEvent {
  if (event.type !== 'ending' || event.ending.type !== 'failed') return event;
  const ending: TurnEnding['ending'] = interruptedEnding;
  return { type: 'ending', ending };
}
