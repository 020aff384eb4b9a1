import type { ChatEvent } from '../core/chat-event.js';
import { MarkerScanner } from './marker.js';

/**
 * O7: looks for the completion marker in one turn. Only what the agent itself says counts: text, and the answer at the end.
 * Prompts, thinking, tools and their output, notices and errors are no part of that.
 */
export class TurnMarker {
  readonly #nonce: string | undefined;
  readonly #wholeMessages: boolean;
  readonly #said: MarkerScanner;
  #inAnswer = false;

  /** `wholeMessages`: each text is a message, as from a CLI that does not stream word by word. */
  constructor(nonce?: string, wholeMessages = false) {
    this.#nonce = nonce;
    this.#wholeMessages = wholeMessages;
    this.#said = new MarkerScanner(nonce);
  }

  /** True if the marker has been said, whatever follows. */
  get found(): boolean {
    return this.#said.found;
  }

  see(event: ChatEvent): void {
    switch (event.type) {
      case 'text':
        this.#said.push(event.text);
        if (this.#wholeMessages) this.#said.endMessage();
        break;
      // The message before it is whole. A tool's end says nothing of the kind: one that runs in the background ends anywhere.
      case 'thinking_start':
      case 'tool_start':
        this.#said.endMessage();
        break;
      case 'complete':
        this.#inAnswer = this.#isIn(event.text);
        break;
    }
  }

  /** True if the marker was said in the turn, which is over. */
  end(): boolean {
    return this.#said.end() || this.#inAnswer;
  }

  /** Some CLIs tell two messages without a line end between them; the answer is the last message by itself. */
  #isIn(answer: string): boolean {
    const scanner = new MarkerScanner(this.#nonce);
    scanner.push(answer);
    return scanner.end();
  }
}
