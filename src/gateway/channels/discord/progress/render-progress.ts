import type { APIMessage } from 'discord.js';
import { duration } from '../../../../core/format.js';
import { oneLine } from '../../../../core/one-line.js';
import { silent } from '../discord-api.js';

/** Every progress message begins with it, and is found by it after a crash. */
const progressMark = '⏳';
export const doneText = '✅ Done.';

/** True for a message of the bot's that shows progress. An answer may look like one, but is never silent. */
export function isProgress({ content, flags }: Pick<APIMessage, 'content' | 'flags'>): boolean {
  return (Number(flags ?? 0) & silent) !== 0 && /^⏳ [\d.]+ [a-z][\w ]{0,20} · /.test(content);
}

/** As much of the text is shown as a phone shows. */
const shownLength = 700;
const keptLength = 8000;

/** What a turn has said and does now. */
export class TurnView {
  #text = '';
  /** True if what has been dropped of the text ends in a code block. */
  #openFence = false;
  #tools = new Map<string, string>();
  waitsForPerson = false;

  constructor(
    readonly turnId: string,
    readonly startedAt: number,
  ) {}

  said(text: string): void {
    this.#text += text;
    if (this.#text.length < 2 * keptLength) return;
    const cut = this.#text.indexOf('\n', this.#text.length - keptLength);
    this.#drop(cut < 0 ? this.#text.length - keptLength : cut + 1);
  }

  toolBegan(id: string, name: string): void {
    this.#tools.set(id, name);
  }

  toolEnded(id: string): void {
    this.#tools.delete(id);
  }

  /** The message without the time: when it is the same, there is nothing to tell. */
  get state(): string {
    const tool = [...this.#tools.values()].at(-1);
    const doing = this.waitsForPerson
      ? 'waits for a decision'
      : tool === undefined
        ? 'works'
        : `runs \`${oneLine(tool, 60).replaceAll('`', "'")}\``;
    const tail = this.#tail();
    return tail === '' ? doing : `${doing}\n${tail}`;
  }

  render(now: number): string {
    const elapsed = duration(Math.max(0, Math.round((now - this.startedAt) / 1000) * 1000)).replace(
      '.0 s',
      ' s',
    );
    return `${progressMark} ${elapsed} · ${this.state}`;
  }

  #tail(): string {
    const text = this.#text.trimEnd();
    let from = Math.max(0, text.length - shownLength);
    if (from > 0) {
      const line = text.indexOf('\n', from);
      if (line >= 0 && line < text.length - 100) from = line + 1;
      // Not the second half of a pair.
      else if (/[\uDC00-\uDFFF]/.test(text.charAt(from))) from += 1;
    }
    const shown = text.slice(from).replace(/[\uD800-\uDBFF]$/, '');
    if (shown.trim() === '') return '';
    const opens = this.#openFence !== hasOpenFence(text.slice(0, from));
    const inFence = opens !== hasOpenFence(shown);
    return `${from > 0 ? '…\n' : ''}${opens ? '```\n' : ''}${shown}${inFence ? '\n```' : ''}`;
  }

  #drop(length: number): void {
    this.#openFence = this.#openFence !== hasOpenFence(this.#text.slice(0, length));
    this.#text = this.#text.slice(length);
  }
}

function hasOpenFence(text: string): boolean {
  return (text.match(/^ {0,3}```/gm)?.length ?? 0) % 2 === 1;
}
