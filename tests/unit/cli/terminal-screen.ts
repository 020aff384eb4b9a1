/**
 * The screen of a terminal, as far as the four CLIs' own user interfaces need one: it keeps the cells, and answers the
 * questions that they ask their terminal before they draw anything.
 */
export class Screen {
  columns: number;
  rows: number;
  #cells: string[][];
  #row = 0;
  #column = 0;
  #saved: readonly [number, number] = [0, 0];
  #top = 0;
  #bottom: number;
  #rest = '';
  /** Private modes that are on: 1049 is the alternate screen, 25 the cursor, 2004 marked pastes. */
  readonly modes = new Set<number>([25]);

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
    this.#bottom = rows - 1;
    this.#cells = Array.from({ length: rows }, () => []);
  }

  /** Draws what a program has written, and returns what a terminal would answer. */
  write(data: string): string {
    let text = this.#rest + data;
    let answer = '';
    this.#rest = '';
    while (text !== '') {
      const [sequence] = control.exec(text) ?? [];
      if (sequence !== undefined) {
        answer += this.#obey(sequence);
        text = text.slice(sequence.length);
      } else if (text.startsWith('\u001b')) {
        this.#rest = text;
        return answer;
      } else {
        const [character = ''] = text;
        this.#put(character);
        text = text.slice(character.length);
      }
    }
    return answer;
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.#top = 0;
    this.#bottom = rows - 1;
    this.#cells = Array.from({ length: rows }, (_, row) => this.#cells[row] ?? []);
    this.#move(this.#row, this.#column);
  }

  get text(): string {
    return this.#cells
      .map((row) =>
        Array.from(row, (cell) => cell ?? ' ')
          .join('')
          .trimEnd(),
      )
      .join('\n');
  }

  #put(character: string): void {
    switch (character) {
      case '\r':
        this.#column = 0;
        return;
      case '\n':
        this.#lineFeed();
        return;
      case '\b':
        this.#column = Math.max(0, this.#column - 1);
        return;
      case '\t':
        this.#column = Math.min(this.columns - 1, (Math.floor(this.#column / 8) + 1) * 8);
        return;
    }
    if (character < ' ') return;
    if (this.#column >= this.columns) {
      this.#column = 0;
      this.#lineFeed();
    }
    const row = this.#cells[this.#row];
    if (row !== undefined) row[this.#column] = character;
    this.#column += 1;
  }

  #lineFeed(): void {
    if (this.#row === this.#bottom) this.#scroll(1);
    else this.#row = Math.min(this.rows - 1, this.#row + 1);
  }

  #scroll(count: number, from = this.#top): void {
    for (let done = 0; done < Math.min(Math.abs(count), this.rows); done += 1) {
      if (count > 0) {
        this.#cells.splice(from, 1);
        this.#cells.splice(this.#bottom, 0, []);
      } else {
        this.#cells.splice(this.#bottom, 1);
        this.#cells.splice(from, 0, []);
      }
    }
  }

  #move(row: number, column: number): void {
    this.#row = Math.max(0, Math.min(this.rows - 1, row));
    this.#column = Math.max(0, Math.min(this.columns - 1, column));
  }

  #obey(sequence: string): string {
    if (sequence.startsWith('\u001b]')) return colourOf(sequence);
    if (!sequence.startsWith('\u001b[')) return this.#obeyEscape(sequence[1] ?? '');
    const [, mark = '', list = '', name = ''] = command.exec(sequence) ?? [];
    const numbers = list.split(';').map((number) => Number.parseInt(number, 10) || 0);
    if (mark !== '') return this.#obeyPrivate(mark, numbers, name, sequence);
    const [first = 0, second = 0] = numbers;
    const count = Math.max(1, first);
    const row = this.#cells[this.#row] ?? [];
    switch (name) {
      case 'A':
        this.#move(this.#row - count, this.#column);
        break;
      case 'B':
      case 'e':
        this.#move(this.#row + count, this.#column);
        break;
      case 'C':
      case 'a':
        this.#move(this.#row, this.#column + count);
        break;
      case 'D':
        this.#move(this.#row, this.#column - count);
        break;
      case 'E':
        this.#move(this.#row + count, 0);
        break;
      case 'F':
        this.#move(this.#row - count, 0);
        break;
      case 'G':
      case '`':
        this.#move(this.#row, count - 1);
        break;
      case 'd':
        this.#move(count - 1, this.#column);
        break;
      case 'H':
      case 'f':
        this.#move(count - 1, Math.max(1, second) - 1);
        break;
      case 'J':
        if (first === 0) {
          row.length = Math.min(row.length, this.#column);
          for (let below = this.#row + 1; below < this.rows; below += 1) this.#cells[below] = [];
        } else if (first === 1) {
          for (let above = 0; above < this.#row; above += 1) this.#cells[above] = [];
        } else if (first === 2) this.#cells = Array.from({ length: this.rows }, () => []);
        break;
      case 'K':
        if (first === 0) row.length = Math.min(row.length, this.#column);
        else if (first === 1) row.fill(' ', 0, this.#column + 1);
        else this.#cells[this.#row] = [];
        break;
      case 'X':
        row.fill(' ', this.#column, this.#column + count);
        break;
      case 'P':
        row.splice(this.#column, count);
        break;
      case '@':
        row.splice(this.#column, 0, ...Array.from({ length: count }, () => ' '));
        break;
      case 'L':
        this.#scroll(-count, this.#row);
        break;
      case 'M':
        this.#scroll(count, this.#row);
        break;
      case 'S':
        this.#scroll(count);
        break;
      case 'T':
        this.#scroll(-count);
        break;
      case 'r':
        this.#top = count - 1;
        this.#bottom = (second || this.rows) - 1;
        this.#move(0, 0);
        break;
      case 's':
        this.#saved = [this.#row, this.#column];
        break;
      case 'u':
        this.#move(...this.#saved);
        break;
      case 'n':
        return first === 6 ? `\u001b[${this.#row + 1};${this.#column + 1}R` : '\u001b[0n';
      case 'c':
        return '\u001b[?62;22c';
    }
    return '';
  }

  #obeyEscape(name: string): string {
    if (name === '7') this.#saved = [this.#row, this.#column];
    if (name === '8') this.#move(...this.#saved);
    if (name === 'D') this.#lineFeed();
    if (name === 'M') {
      if (this.#row === this.#top) this.#scroll(-1);
      else this.#move(this.#row - 1, this.#column);
    }
    return '';
  }

  #obeyPrivate(mark: string, numbers: readonly number[], name: string, sequence: string): string {
    if (mark === '?' && name === 'h') for (const mode of numbers) this.#switch(mode, true);
    if (mark === '?' && name === 'l') for (const mode of numbers) this.#switch(mode, false);
    // Which modes it knows: none of those that are asked about.
    if (mark === '?' && sequence.endsWith('$p')) return `\u001b[?${numbers[0]};0$y`;
    if (mark === '?' && name === 'u') return '\u001b[?0u';
    if (mark === '>' && name === 'q') return '\u001bP>|Turnout test 1\u001b\\';
    return '';
  }

  #switch(mode: number, on: boolean): void {
    if (on) this.modes.add(mode);
    else this.modes.delete(mode);
    const clears = mode === 1049 || (mode === 1047 && !on);
    if (clears) this.#cells = Array.from({ length: this.rows }, () => []);
  }
}

/** A question for the colours of text and background is answered as a dark terminal does. */
function colourOf(sequence: string): string {
  const asked = /^.\](10|11);\?/s.exec(sequence)?.[1];
  if (asked === undefined) return '';
  return `\u001b]${asked};rgb:${asked === '10' ? 'dddd/dddd/dddd' : '0000/0000/0000'}\u001b\\`;
}

const escapeCharacter = '\u001b';
/** A command, a text for the terminal itself (title, colours), or one of the short ones. */
const control = new RegExp(
  `^${escapeCharacter}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_].*?(?:${'\u0007'}|${escapeCharacter}\\\\)|[ #%()*+].|[^[\\]PX^_ #%()*+])`,
  's',
);
const command = new RegExp(`^${escapeCharacter}\\[([<-?!]?)([0-?]*)[ -/]*(.)$`, 's');
