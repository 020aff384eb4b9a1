/** An agent prints this on a line of its own when its work is done. The spelling is a contract with users' prompts. */
export const completionMarker = 'ORCHESTRA_COMPLETE';

/** The line that counts in a run: with a nonce, text from an untrusted repository can't contain it. */
export function markerLine(nonce?: string): string {
  return nonce === undefined ? completionMarker : `${completionMarker}:${nonce}`;
}

/**
 * Looks for the completion marker in what the agent itself says, in pieces of any size. It counts as a whole line, without
 * colours and carriage returns; where an agent quotes (a code fence, indented code, an HTML comment), it counts only as the last
 * line of all.
 */
export class MarkerScanner {
  readonly #marker: string;
  #line = '';
  #lineIsTooLong = false;
  #fence: Fence | undefined;
  /** The end of an HTML block that is open. */
  #htmlEnd: string | undefined;
  #found = false;
  /** True if the last line of content so far is the marker in a fence. */
  #foundInFence = false;

  constructor(nonce?: string) {
    this.#marker = markerLine(nonce);
  }

  /** True if the marker has been said, whatever follows. */
  get found(): boolean {
    return this.#found;
  }

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#extend(text.slice(from, end));
      this.#endLine();
      from = end + 1;
    }
    this.#extend(text.slice(from));
  }

  /** Ends a message, even if it has no line end. A fence that it leaves open is its own: the next message begins outside. */
  endMessage(): void {
    this.#endLine();
    this.#fence = undefined;
    this.#htmlEnd = undefined;
  }

  /** The agent has finished: a marker without a line end counts, and so does one in a fence at the very end. */
  end(): boolean {
    this.#endLine();
    return this.#found || this.#foundInFence;
  }

  #endLine(): void {
    const line = this.#lineIsTooLong ? undefined : plain(this.#line);
    this.#line = '';
    this.#lineIsTooLong = false;
    this.#see(line);
  }

  #extend(piece: string): void {
    if (this.#line.length + piece.length > longestLine) {
      this.#lineIsTooLong = true;
      this.#line = '';
    } else if (!this.#lineIsTooLong) this.#line += piece;
  }

  #see(line: string | undefined): void {
    if (line === '') return;
    const isFence = line !== undefined && this.#toggleFence(line);
    if (isFence && this.#fence === undefined) return;
    this.#foundInFence = false;
    if (line !== undefined && this.#fence === undefined) this.#toggleHtml(line);
    if (isFence || line?.trim() !== this.#marker) return;
    const isQuoted = this.#fence !== undefined || this.#htmlEnd !== undefined || indentedCode.test(line);
    if (isQuoted) this.#foundInFence = true;
    else this.#found = true;
  }

  /** Sees the beginning and the end of a comment, or of preformatted text. */
  #toggleHtml(line: string): void {
    const begun =
      this.#htmlEnd === undefined
        ? htmlBlocks.find(([begin]) => line.trimStart().startsWith(begin))
        : undefined;
    this.#htmlEnd ??= begun?.[1];
    if (this.#htmlEnd !== undefined && line.includes(this.#htmlEnd)) this.#htmlEnd = undefined;
  }

  /** True if the line opens a fence or closes the open one. */
  #toggleFence(line: string): boolean {
    const [, item = '', mark = '', rest = ''] = fenceLine.exec(line) ?? [];
    if (mark === '') return false;
    if (this.#fence === undefined) {
      // Backticks behind backticks are code within a sentence.
      if (mark.startsWith('`') && rest.includes('`')) return false;
      this.#fence = { character: mark.charAt(0), length: mark.length };
      return true;
    }
    const closes =
      item === '' &&
      mark.startsWith(this.#fence.character) &&
      mark.length >= this.#fence.length &&
      rest.trim() === '';
    if (closes) this.#fence = undefined;
    return closes;
  }
}

interface Fence {
  readonly character: string;
  readonly length: number;
}

/**
 * The line as a terminal shows it: without terminal sequences (colours, titles, links), from the last carriage return on that
 * something follows, and without blanks at its end.
 */
function plain(line: string): string {
  const bare = line.replace(terminalSequence, '').replace(/\r+$/, '');
  return bare.slice(bare.lastIndexOf('\r') + 1).trimEnd();
}

const indentedCode = /^(?: {4}|\t)/;
const htmlBlocks: readonly (readonly [begin: string, end: string])[] = [
  ['<!--', '-->'],
  ['<pre', '</pre>'],
];

/** A fence may stand in an item of a list, so it may be indented, or follow the item's sign. */
const fenceLine = /^\s*((?:(?:[-*+]|\d{1,9}[.)])\s+)*)(`{3,}|~{3,})(.*)$/;
/** CSI (colours), strings up to their end (titles, links), and all short ones: `tput sgr0` prints `ESC ( B`. */
const terminalSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with a control character
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]/g;
/** A marker with the longest nonce and colours around it is far shorter. */
const longestLine = 4096;

/** The answer without the line that says that it is complete. */
export function withoutMarker(text: string, nonce?: string): string {
  const marker = markerLine(nonce);
  const lines = text.split('\n').filter((line) => plain(line).trim() !== marker);
  return lines.join('\n').trimEnd();
}
