import type { ChatEvent, StepEvent, Usage } from '../../core/chat-event.js';

const maxEvents = 2000;
const maxTextLength = 256 * 1024;

/** Keeps a turn's events for the archive: pieces of text joined, everything bounded. */
export class TurnRecorder {
  readonly #events: ChatEvent[] = [];
  #pieces: { readonly type: 'text' | 'thinking'; readonly parts: string[]; length: number } | undefined;
  #leftOut = 0;
  usage: Usage | undefined;

  accept(event: ChatEvent): void {
    if (event.type === 'usage') {
      const { type: _type, ...usage } = event;
      this.usage = usage;
    } else if (event.type === 'text' || event.type === 'thinking') {
      this.#join(event.type, event.text);
      return;
    } else if (event.type === 'complete') this.usage = event.usage ?? this.usage;
    this.#flush();
    this.#keep(event);
  }

  get events(): readonly ChatEvent[] {
    this.#flush();
    if (this.#leftOut === 0) return this.#events;
    const message = `${this.#leftOut} more events were left out of the archive`;
    return [...this.#events, { type: 'notice', level: 'info', message } satisfies StepEvent];
  }

  #join(type: 'text' | 'thinking', text: string): void {
    if (this.#pieces?.type !== type) {
      this.#flush();
      this.#pieces = { type, parts: [], length: 0 };
    }
    if (this.#pieces === undefined || this.#pieces.length >= maxTextLength) return;
    this.#pieces.parts.push(text.slice(0, maxTextLength - this.#pieces.length));
    this.#pieces.length += text.length;
  }

  #flush(): void {
    const pieces = this.#pieces;
    this.#pieces = undefined;
    if (pieces === undefined) return;
    const cut = pieces.length > maxTextLength ? ' […]' : '';
    this.#keep({ type: pieces.type, text: pieces.parts.join('') + cut });
  }

  #keep(event: ChatEvent): void {
    // The end is worth more than the 2,001st tool.
    if (this.#events.length < maxEvents || event.type === 'complete' || event.type === 'error')
      this.#events.push(shortened(event));
    else this.#leftOut += 1;
  }
}

/** A tool may print a gigabyte; the archive is for reading. */
function shortened(event: ChatEvent): ChatEvent {
  if (event.type === 'tool_end' && event.output.length > 16_384)
    return { ...event, output: `${event.output.slice(0, 16_384)} […]` };
  if (event.type === 'notice' && event.raw !== undefined) {
    const { raw: _raw, ...rest } = event;
    return rest;
  }
  return event;
}
