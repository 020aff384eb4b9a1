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
  /** The reasons of refused tools that the agent has not been told yet. */
  refusals: readonly string[] = [];
  /** The usage of the prompts before, if the turn has gone on with another one. */
  #usedBefore = { inputTokens: 0, outputTokens: 0 };
  #state: GeminiTurnState = newGeminiTurnState;

  constructor(options: TurnStreamOptions = {}) {
    this.stream = new TurnStream(options);
  }

  step(message: GeminiMessage): readonly LiveEvent[] {
    const [state, events] = stepGeminiTurn(this.#state, message);
    this.#state = state;
    const counted = events.map((event) => this.#withUsage(event));
    return this.stopped ? counted.map(asInterrupted) : counted;
  }

  /** The result of a prompt that is followed by another one in this turn. */
  goOn(message: GeminiMessage & { type: 'result' }): readonly LiveEvent[] {
    const usage = this.step(message).find((event) => event.type === 'usage');
    if (usage !== undefined) this.#usedBefore = usage;
    return this.#state.spoke ? [{ type: 'text', text: '\n\n' }] : [];
  }

  #withUsage(event: LiveEvent): LiveEvent {
    if (event.type !== 'usage') return event;
    const { inputTokens, outputTokens } = this.#usedBefore;
    return {
      ...event,
      inputTokens: event.inputTokens + inputTokens,
      outputTokens: event.outputTokens + outputTokens,
    };
  }
}

/** A stopped turn may end with the error that it was about to end with: a 429 comes before the cancellation. */
function asInterrupted(event: LiveEvent): LiveEvent {
  if (event.type !== 'ending' || event.ending.type !== 'failed') return event;
  return { type: 'ending', ending: interruptedEnding };
}
