import type { APIMessage } from 'discord.js';
import { duration } from '../../../../core/format.js';
import { oneLine } from '../../../../core/text.js';
import { summarizeToolInput } from '../../../../core/tool-input.js';
import { silent } from '../discord-api.js';
import { inlineCode } from '../markdown/code.js';

/** Every progress message begins with it, and is found by it after a crash. */
const progressMark = '⏳';
export const doneText = '✅ Done.';

/** True for a message of the bot's that shows progress. An answer may look like one, but is never silent. */
export function isProgress({ content, flags }: Pick<APIMessage, 'content' | 'flags'>): boolean {
  return (Number(flags ?? 0) & silent) !== 0 && /^⏳ [\d.]+ [a-z][\w ]{0,20} · /.test(content);
}

/** As much of the text is shown as a phone shows. */
const shownLength = 700;
const shownLines = 8;
/** What stays of a turn that was stopped. */
const stoppedLength = 1700;
const keptLength = 8000;

/** What a turn has said and does now. When it is tried again, it is the same view. */
export class TurnView {
  #text = '';
  /** True if what has been dropped of the text ends in a code block. */
  #openFence = false;
  #tools = new Map<string, string>();
  #thinks = false;
  #retry: string | undefined;
  waitsForPerson = false;

  constructor(
    public turnId: string,
    readonly startedAt: number,
    /** The message that is worked on. */
    readonly eventId = '',
  ) {}

  said(text: string): void {
    this.#goesOn();
    this.#text += text;
    if (this.#text.length < 2 * keptLength) return;
    const cut = this.#text.indexOf('\n', this.#text.length - keptLength);
    this.#drop(cut < 0 ? this.#text.length - keptLength : cut + 1);
  }

  thinks(): void {
    this.#goesOn();
    this.#thinks = true;
  }

  toolBegan(id: string, name: string, input: unknown): void {
    this.#goesOn();
    const what = summarizeToolInput(name, input);
    this.#tools.set(id, inlineCode(what === '' ? name : `${oneLine(name, 60)}: ${what}`, 120));
  }

  toolEnded(id: string): void {
    this.#tools.delete(id);
  }

  /** An attempt has failed. What it said so far is not the answer. */
  triesAgain(retry: { readonly number?: number; readonly of?: number | undefined; readonly reason: string }) {
    const { number, of, reason } = retry;
    const which = number === undefined ? '' : of === undefined ? ` (${number})` : ` (${number} of ${of})`;
    this.#retry = `trying again${which}: ${inlineCode(reason, 150)}`;
  }

  /** Begins the next attempt. */
  beginsAgain(turnId: string): void {
    this.turnId = turnId;
    this.#tools.clear();
    this.#text = '';
    this.#openFence = false;
  }

  get hasText(): boolean {
    return this.#text.trim() !== '';
  }

  /** The message without the time: when it is the same, there is nothing to tell. */
  get state(): string {
    const tool = [...this.#tools.values()].at(-1);
    const doing = this.#retry ?? tool ?? (this.#thinks ? 'thinking' : 'working');
    const tail = this.#tail(shownLength, shownLines);
    return tail === '' ? doing : `${doing}\n${tail}`;
  }

  render(now: number): string {
    return `${progressMark} ${this.#elapsed(now)} · ${this.state}`;
  }

  /** What stays of it when it was stopped. */
  renderStopped(now: number): string {
    return `⏹️ Stopped after ${this.#elapsed(now)}. So far:\n${this.#tail(stoppedLength, Number.POSITIVE_INFINITY)}`;
  }

  #elapsed(now: number): string {
    const whole = Math.max(0, Math.round((now - this.startedAt) / 1000) * 1000);
    return duration(whole).replace('.0 s', ' s');
  }

  #goesOn(): void {
    this.#thinks = false;
    this.#retry = undefined;
  }

  #tail(length: number, lines: number): string {
    const text = this.#text.trimEnd();
    let from = Math.max(0, text.length - length);
    if (from > 0) {
      const line = text.indexOf('\n', from);
      if (line >= 0 && line < text.length - 100) from = line + 1;
      else from = startOfGrapheme(text, from);
    }
    from = Math.max(from, startOfLines(text, lines));
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

/** Where the last lines begin. */
function startOfLines(text: string, lines: number): number {
  let at = text.length;
  for (let line = 0; line < lines; line++) {
    if (at <= 0) return 0;
    at = text.lastIndexOf('\n', at - 1);
    if (at < 0) return 0;
  }
  return at + 1;
}

/** The first place from `at` on that is not within what people take for one character. */
function startOfGrapheme(text: string, at: number): number {
  const begin = Math.max(0, at - longestGrapheme);
  for (const { index } of graphemes.segment(text.slice(begin, at + longestGrapheme)))
    if (begin + index >= at) return begin + index;
  // Not the second half of a pair.
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at + 1 : at;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const longestGrapheme = 64;
