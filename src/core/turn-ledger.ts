import {
  type ChatEvent,
  type CompleteEvent,
  type ErrorEvent,
  notice,
  type StepEvent,
  type StopReason,
  type Usage,
} from './chat-event.js';
import { isSessionId } from './session-id.js';
import { usableUsage } from './usable-usage.js';

/** The limit of `complete.text`, which keeps the beginning of a longer answer; all of it is streamed. */
export const maxAnswerChars = 32 * 1024 * 1024;

/**
 * Keeps the invariants of a turn, whatever order a CLI prints things in: one session event for each id,
 * thinking is bracketed, every tool that starts also ends, one terminal event and nothing behind it. It also
 * collects the answer, which is the text after the last tool.
 */
export class TurnLedger {
  sessionId: string | undefined;
  usage: Usage | undefined;
  readonly #answer = new Transcript();
  readonly #openTools = new Set<string>();
  readonly #seenTools = new Set<string>();
  #thinking = false;
  /** A thought begins right behind another one. */
  #nextThought = false;
  #ended = false;
  #refusedId = false;
  #answerCut = false;

  get ended(): boolean {
    return this.#ended;
  }

  get toolsBegun(): boolean {
    return this.#seenTools.size > 0;
  }

  /** Returns the events to show for one event of a decoder. */
  accept(event: StepEvent): readonly ChatEvent[] {
    if (this.#ended) return [];
    switch (event.type) {
      case 'session':
        if (event.sessionId === this.sessionId) return [];
        if (!isSessionId(event.sessionId)) return this.#refuseId(event.sessionId);
        this.sessionId = event.sessionId;
        return [event];
      case 'text':
        if (event.text === '') return [];
        return this.#withoutThinking(event, this.#say(event.text));
      case 'thinking_start':
        this.#nextThought = this.#thinking;
        return [];
      case 'thinking_end':
        return [];
      case 'thinking':
        return event.text === '' ? [] : this.#think(event);
      case 'tool_start':
        if (this.#seenTools.has(event.id)) return [];
        this.#seenTools.add(event.id);
        this.#openTools.add(event.id);
        this.#answer.clear();
        return this.#withoutThinking(event);
      case 'tool_end':
        return this.#endTool(event);
      case 'usage': {
        const { type: _, ...counts } = event;
        this.usage = usableUsage(counts);
        return [{ type: 'usage', ...this.usage }];
      }
      default:
        return [event];
    }
  }

  /** Ends the turn with success. `text` is the answer as the CLI reports it, if it does. */
  complete(stopReason: StopReason, text?: string): readonly ChatEvent[] {
    const event: CompleteEvent = {
      type: 'complete',
      text: text ?? this.#answer.toString(),
      sessionId: this.sessionId ?? '',
      stopReason,
      ...(this.usage === undefined ? {} : { usage: this.usage }),
    };
    return this.#end(event);
  }

  fail(error: ErrorEvent): readonly ChatEvent[] {
    return this.#end(error);
  }

  get answerIsEmpty(): boolean {
    return this.#answer.length === 0;
  }

  /** The id would go to the CLI's command line, and into paths. */
  #refuseId(id: string): readonly ChatEvent[] {
    if (this.#refusedId) return [];
    this.#refusedId = true;
    const shown = JSON.stringify(id.slice(0, 80));
    return [
      notice('warning', `The CLI has named its session ${shown}: that can't be an id, and is left out.`),
    ];
  }

  #think(event: StepEvent & { type: 'thinking' }): readonly ChatEvent[] {
    if (!this.#thinking) {
      this.#thinking = true;
      return [{ type: 'thinking_start' }, event];
    }
    if (!this.#nextThought) return [event];
    this.#nextThought = false;
    return [{ type: 'thinking', text: `\n\n${event.text}` }];
  }

  #say(text: string): readonly ChatEvent[] {
    if (this.#answer.add(text) || this.#answerCut) return [];
    this.#answerCut = true;
    return [
      notice(
        'warning',
        `The answer is longer than ${maxAnswerChars} characters: all of it is streamed, the final text keeps the beginning.`,
      ),
    ];
  }

  #endTool(event: StepEvent & { type: 'tool_end' }): readonly ChatEvent[] {
    if (this.#openTools.delete(event.id)) return [event];
    if (this.#seenTools.has(event.id)) return [];
    const start = { type: 'tool_start', id: event.id, name: 'unknown', input: {} } as const;
    const started = this.accept(start);
    this.#openTools.delete(event.id);
    return [...started, event];
  }

  #withoutThinking(event: StepEvent, after: readonly ChatEvent[] = []): readonly ChatEvent[] {
    if (!this.#thinking) return after.length === 0 ? [event] : [event, ...after];
    this.#thinking = false;
    this.#nextThought = false;
    return [{ type: 'thinking_end' }, event, ...after];
  }

  #end(terminal: CompleteEvent | ErrorEvent): readonly ChatEvent[] {
    if (this.#ended) return [];
    this.#ended = true;
    const events: ChatEvent[] = [];
    if (this.#thinking) events.push({ type: 'thinking_end' });
    for (const id of this.#openTools) {
      events.push({ type: 'tool_end', id, output: 'The turn ended before this tool did.', isError: true });
    }
    events.push(terminal);
    return events;
  }
}

/** Collects text from very many small pieces: concatenation would build a rope larger than the text. */
class Transcript {
  length = 0;
  #settled = '';
  #pieces: string[] = [];

  /** Returns false if the piece did not fit in whole. */
  add(piece: string): boolean {
    const room = maxAnswerChars - this.length;
    if (room <= 0) return false;
    const kept = piece.length <= room ? piece : piece.slice(0, room);
    this.length += kept.length;
    this.#pieces.push(kept);
    if (this.#pieces.length >= 4096) this.#settle();
    return kept.length === piece.length;
  }

  clear(): void {
    this.length = 0;
    this.#settled = '';
    this.#pieces = [];
  }

  toString(): string {
    this.#settle();
    return this.#settled;
  }

  #settle(): void {
    if (this.#pieces.length === 0) return;
    this.#settled += this.#pieces.join('');
    this.#pieces = [];
  }
}
