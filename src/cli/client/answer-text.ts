/**
 * The text of an answer while it is written, over all the attempts that it takes. Each method returns what is to be printed. An
 * attempt that begins like the one before, which a crash has cut off, goes on where that one was printed to.
 */
export class AnswerText {
  /** What the present attempt has said. */
  #attempt = '';
  /** What it has said since its last tool. */
  #piece = '';
  /** What was printed of an earlier attempt, as long as the present one only repeats it. */
  #ahead = '';
  #last = '';

  /** A turn has begun. */
  began(): void {
    if (this.#attempt.length > this.#ahead.length) this.#ahead = this.#attempt;
    this.#attempt = '';
    this.#piece = '';
  }

  /** A tool has begun: what comes behind it stands on a line of its own. */
  tool(): string {
    this.#piece = '';
    return this.#attempt === '' || this.#attempt.endsWith('\n') ? '' : this.#add('\n');
  }

  text(text: string): string {
    this.#piece += text;
    return this.#add(text);
  }

  /** The answer is whole: what was not seen of it, and the end of the last line. */
  ended(answer: string | undefined): string {
    const rest = answer === undefined ? '' : this.#missing(answer);
    const last = rest.at(-1) ?? this.#last;
    return this.#print(last === '' || last === '\n' ? rest : `${rest}\n`);
  }

  #add(text: string): string {
    this.#attempt += text;
    if (this.#ahead === '') return this.#print(text);
    if (this.#ahead.startsWith(this.#attempt)) return '';
    const goesOn = this.#attempt.startsWith(this.#ahead);
    const news = goesOn ? this.#attempt.slice(this.#ahead.length) : this.#onNewLine(this.#attempt);
    this.#ahead = '';
    return this.#print(news);
  }

  #missing(answer: string): string {
    const isSaid = this.#piece.trim() === answer.trim();
    if (isSaid && (this.#ahead === '' || this.#ahead === this.#attempt)) return '';
    if (!isSaid && this.#piece !== '' && this.#ahead === '' && answer.startsWith(this.#piece))
      return answer.slice(this.#piece.length);
    return this.#onNewLine(answer);
  }

  #onNewLine(text: string): string {
    return this.#last === '' || this.#last === '\n' ? text : `\n${text}`;
  }

  #print(text: string): string {
    this.#last = text.at(-1) ?? this.#last;
    return text;
  }
}
