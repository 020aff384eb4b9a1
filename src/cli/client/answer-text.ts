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
  #toolSince = false;
  #last = '';

  /** A turn has begun. */
  began(): void {
    if (this.#attempt.length > this.#ahead.length) this.#ahead = this.#attempt;
    this.#attempt = '';
    this.#piece = '';
    this.#toolSince = false;
  }

  tool(): void {
    this.#toolSince = true;
    this.#piece = '';
  }

  text(text: string): string {
    if (text === '') return '';
    const isApart = this.#toolSince && this.#attempt !== '' && !this.#attempt.endsWith('\n');
    this.#toolSince = false;
    this.#piece += text;
    const added = (isApart ? '\n' : '') + text;
    this.#attempt += added;
    if (this.#ahead === '') return this.#print(added);
    if (this.#ahead.startsWith(this.#attempt)) return '';
    const goesOn = this.#attempt.startsWith(this.#ahead);
    const news = goesOn ? this.#attempt.slice(this.#ahead.length) : this.#onNewLine(this.#attempt);
    this.#ahead = '';
    return this.#print(news);
  }

  /** The answer is whole: what was not seen of it, and the end of the last line. */
  ended(answer: string | undefined): string {
    const rest = answer === undefined ? '' : this.#missing(answer);
    const last = rest.at(-1) ?? this.#last;
    return this.#print(last === '' || last === '\n' ? rest : `${rest}\n`);
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
