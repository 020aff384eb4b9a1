import type { ChatEvent } from '../../../../core/chat-event.js';
import type { StoredEvent } from '../../../../store/rows.js';

/** Texts that something came between must not run into each other. */
const gap = '\n\n';

/** The text of an answer as it comes: all that the agent says, also between its tools. */
export class AnswerText {
  #hasSpoken = false;
  /** The texts of the turn. */
  #said: string[] = [];
  /** Where those behind the last tool begin: they are the answer, as far as it has come. */
  #answerAt = 0;

  /** A further turn is another attempt, which says everything again. */
  turnBegan(): void {
    this.#said = [];
    this.#answerAt = 0;
  }

  see(event: ChatEvent): string {
    if (event.type === 'text') return this.#say(event.text);
    if (event.type === 'tool_start') this.#interrupt();
    return '';
  }

  /**
   * What was never said of the answer: the reply to a command, the words of a hook, or the end of a turn that said more than
   * its record holds.
   */
  rest({ responseText = '' }: StoredEvent): string {
    if (endsWith(this.#said.join(''), responseText)) return '';
    const answer = responseText.trimStart();
    const begun = this.#said.slice(this.#answerAt).join('').trimStart();
    if (begun !== '' && answer.startsWith(begun)) return this.#say(answer.slice(begun.length));
    this.#interrupt();
    return this.#say(responseText);
  }

  #say(text: string): string {
    if (text === '') return '';
    const isBehindGap = this.#hasSpoken && this.#said.length === this.#answerAt;
    this.#hasSpoken = true;
    this.#said.push(text);
    return isBehindGap ? gap + text : text;
  }

  #interrupt(): void {
    this.#answerAt = this.#said.length;
  }
}

/** CLIs tell the answer at its end with other white space around it, or between its paragraphs. */
function endsWith(said: string, answer: string): boolean {
  return said.endsWith(answer) || withoutSpace(said).endsWith(withoutSpace(answer));
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
