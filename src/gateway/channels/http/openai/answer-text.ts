import type { ChatEvent } from '../../../../core/chat-event.js';
import type { StoredEvent } from '../../../../store/rows.js';

/** Texts that something came between must not run into each other. */
const gap = '\n\n';

/** The text of an answer as it comes: all that the agent says, also between its tools. */
export class AnswerText {
  #hasSpoken = false;
  /** True if something came between the last text and the next one. */
  #isInterrupted = false;
  /** True if there was a text behind the last tool: that is the answer. */
  #hasAnswered = false;

  /** A further turn is another attempt, which says everything again. */
  turnBegan(): void {
    this.#interrupt();
  }

  see(event: ChatEvent): string {
    if (event.type === 'text') return this.#say(event.text);
    if (event.type === 'tool_start') this.#interrupt();
    return '';
  }

  /** What was never said of the answer: the reply to a command, or an answer that came without any text before it. */
  rest({ responseText = '' }: StoredEvent): string {
    return this.#hasAnswered ? '' : this.#say(responseText);
  }

  #say(text: string): string {
    if (text === '') return '';
    const said = this.#hasSpoken && this.#isInterrupted ? gap + text : text;
    this.#hasSpoken = true;
    this.#isInterrupted = false;
    this.#hasAnswered = true;
    return said;
  }

  #interrupt(): void {
    this.#isInterrupted = true;
    this.#hasAnswered = false;
  }
}
