import { type ChatEvent, isTerminal, type Usage } from '../../core/chat-event.js';
import { printJson } from '../../core/json.js';
import { limitedValue } from '../../store/limited-json.js';

const maxEvents = 20_000;
/** All texts of a turn together. A longer answer is whole in its message. */
const maxTextLength = 8 * 1024 * 1024;
/** All that tools were given and gave, together. */
const maxToolLength = 16 * 1024 * 1024;
/** The most that is kept of the text behind the last tool, when the record is full. */
const maxTailLength = 64 * 1024;
/** A longer text is kept in pieces, each of which fits into the archive as it is. */
const pieceLength = 10_000;

/** A place in a turn's record: how many events were read, and how much of the next one, a text. */
export interface RecordPlace {
  readonly index: number;
  readonly offset: number;
}

export interface RecordedEvent {
  readonly event: ChatEvent;
  /** The place behind it. */
  readonly next: RecordPlace;
}

/**
 * Keeps a turn's events, for the archive and for whoever follows the turn: pieces of text joined, everything bounded. It
 * only grows, so that a place in it stays true, also in the archive.
 */
export class TurnRecorder {
  readonly #events: ChatEvent[] = [];
  #open: { readonly type: 'text' | 'thinking'; parts: string[]; length: number } | undefined;
  #textLength = 0;
  #toolLength = 0;
  /** Set when the record is full: the text behind the last tool, which may be the answer. */
  #tail: string | undefined;
  usage: Usage | undefined;

  /** True if the last event is an end. (A turn that is run again without its session goes on behind it.) */
  get hasEnded(): boolean {
    const last = this.#open === undefined ? this.#events.at(-1) : undefined;
    return last !== undefined && isTerminal(last);
  }

  accept(event: ChatEvent): void {
    if (event.type === 'usage') {
      const { type: _type, ...usage } = event;
      this.usage = usage;
    } else if (event.type === 'text' || event.type === 'thinking') {
      this.#join(event.type, event.text);
      return;
    } else if (event.type === 'complete') this.usage = event.usage ?? this.usage;
    this.#close();
    this.#keep(event);
  }

  get events(): readonly ChatEvent[] {
    this.#close();
    return this.#events;
  }

  /** At most `limit` events from a place on; a text that is being written comes as far as it is. */
  readFrom(place: RecordPlace, limit: number): readonly RecordedEvent[] {
    const found = readEvents(this.#events, place, limit);
    const last = found.at(-1)?.next ?? place;
    if (this.#open === undefined || found.length >= limit) return found;
    // The piece at the place may have been closed since: then the open one is the next.
    const index = this.#events.length;
    const offset = last.index === index ? last.offset : 0;
    const text = this.#open.parts.join('');
    this.#open.parts = [text];
    if (text.length <= offset) return found;
    const next = { index, offset: text.length };
    return [...found, { event: { type: this.#open.type, text: text.slice(offset) }, next }];
  }

  #join(type: 'text' | 'thinking', text: string): void {
    if (this.#open?.type !== type) this.#close();
    let rest = text;
    while (rest !== '' && this.#tail === undefined) {
      if (this.#textLength >= maxTextLength) {
        this.#close();
        this.#leaveOut();
        break;
      }
      if (this.#open !== undefined && this.#open.length >= pieceLength) this.#close();
      this.#open ??= { type, parts: [], length: 0 };
      const piece = cutPiece(rest, pieceLength - this.#open.length);
      this.#open.parts.push(piece);
      this.#open.length += piece.length;
      this.#textLength += piece.length;
      rest = rest.slice(piece.length);
    }
    if (this.#tail !== undefined && type === 'text') this.#tail = (this.#tail + rest).slice(-maxTailLength);
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) this.#keep({ type: open.type, text: open.parts.join('') });
  }

  #keep(event: ChatEvent): void {
    if (isTerminal(event)) {
      this.#keepTail();
      this.#events.push(shortened(event));
    } else if (this.#tail !== undefined) {
      if (event.type === 'tool_start') this.#tail = '';
    } else if (this.#events.length < maxEvents && this.#toolLength < maxToolLength) {
      const kept = shortened(event);
      this.#toolLength += lengthOf(kept);
      this.#events.push(kept);
    } else this.#leaveOut();
  }

  #leaveOut(): void {
    if (this.#tail !== undefined) return;
    this.#tail = '';
    const message =
      'The turn went on for longer than is kept here: further steps were left out of the record.';
    this.#events.push({ type: 'notice', level: 'info', message });
  }

  /** The end is worth more than the last of thousands of tools. */
  #keepTail(): void {
    let rest = this.#tail ?? '';
    if (this.#tail !== undefined) this.#tail = '';
    while (rest !== '') {
      const text = cutPiece(rest, pieceLength);
      this.#events.push({ type: 'text', text });
      rest = rest.slice(text.length);
    }
  }
}

/** Reads what an archive, or the closed part of a record, holds from a place on. */
export function readEvents(
  events: readonly ChatEvent[],
  { index, offset }: RecordPlace,
  limit: number,
): readonly RecordedEvent[] {
  const found: RecordedEvent[] = [];
  for (let at = index; at < events.length && found.length < limit; at++) {
    const event = events[at];
    if (event === undefined) break;
    const rest = at === index ? behind(event, offset) : event;
    if (rest !== undefined) found.push({ event: rest, next: { index: at + 1, offset: 0 } });
  }
  return found;
}

function behind(event: ChatEvent, offset: number): ChatEvent | undefined {
  if (offset === 0 || (event.type !== 'text' && event.type !== 'thinking')) return event;
  return event.text.length <= offset ? undefined : { ...event, text: event.text.slice(offset) };
}

/** The beginning of a text; a surrogate pair stays whole. */
function cutPiece(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const piece = text.slice(0, longest);
  return /[\uD800-\uDBFF]$/.test(piece) && piece.length > 1 ? piece.slice(0, -1) : piece;
}

function lengthOf(event: ChatEvent): number {
  if (event.type === 'tool_end') return event.output.length;
  return event.type === 'tool_start' || event.type === 'permission_request'
    ? printJson(event.input).length
    : 0;
}

/** A tool may print a gigabyte, or be given one; the record is for reading. */
function shortened(event: ChatEvent): ChatEvent {
  switch (event.type) {
    case 'tool_end':
      return event.output.length > 16_384
        ? { ...event, output: `${event.output.slice(0, 16_384)} […]` }
        : event;
    case 'notice': {
      const { raw: _raw, ...rest } = event;
      return limitedValue(rest);
    }
    case 'tool_start':
    case 'permission_request':
    case 'complete':
    case 'error':
      return limitedValue(event);
    default:
      return event;
  }
}
