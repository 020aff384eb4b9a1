import type { ChatEvent, Usage } from '../core/chat-event.js';
import { longestTimerMs } from '../core/wait.js';
import { withoutMarker } from '../runner/marker.js';
import { TurnMarker } from '../runner/turn-marker.js';
import type { IterationError } from './journal.js';
import type { Spending } from './spending.js';

export interface IterationOutcome {
  readonly marker: boolean;
  /** The last answer, without the marker. */
  readonly output: string;
  readonly sessionId?: string;
  readonly usage?: Usage;
  readonly error?: IterationError;
  /** The limit that has ended it. */
  readonly overBudget?: string;
}

export interface IterationListener {
  readonly onEvent: (event: ChatEvent) => void | Promise<void>;
  readonly onSession: (sessionId: string) => void;
}

export interface IterationLimits {
  readonly signal: AbortSignal;
  /** The accounts of the chain and of the step. */
  readonly spendings: readonly Spending[];
  readonly nonce: string | undefined;
  /** After the marker, an agent that says nothing for so long is ended: its work is done. */
  readonly markerGraceMs: number;
  /** True: each text is a message of its own, as from a CLI that does not stream word by word. */
  readonly wholeMessages: boolean;
  /** True: nobody can tell whether the agent has begun a tool. */
  readonly toolsUntold: boolean;
}

/** Follows one run of an agent to its end. Nothing but what the agent itself says is looked at for the marker (O7). */
export async function followIteration(
  send: (signal: AbortSignal) => AsyncIterable<ChatEvent>,
  listener: IterationListener,
  limits: IterationLimits,
): Promise<IterationOutcome> {
  const stop = new AbortController();
  const watch = new IterationWatch(limits, (why) => stop.abort(why));
  try {
    for await (const event of send(AbortSignal.any([limits.signal, stop.signal]))) {
      if (event.type === 'session') listener.onSession(event.sessionId);
      watch.see(event);
      await listener.onEvent(event);
    }
    return watch.outcome();
  } finally {
    watch.stop();
  }
}

type Stopped = { readonly type: 'marker' } | { readonly type: 'budget'; readonly limit: string };

/** What has been seen of a run so far, and its clocks. */
class IterationWatch {
  readonly #limits: IterationLimits;
  readonly #end: (why: Stopped) => void;
  readonly #marker: TurnMarker;
  readonly #openTools = new Set<string>();
  readonly #timeUp: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #stopped: Stopped | undefined;
  #toolsBegun: boolean;
  #said = '';
  #answer: string | undefined;
  #sessionId: string | undefined;
  #usage: Usage | undefined;
  #error: Extract<ChatEvent, { readonly type: 'error' }> | undefined;

  constructor(limits: IterationLimits, end: (why: Stopped) => void) {
    this.#limits = limits;
    this.#end = end;
    this.#toolsBegun = limits.toolsUntold;
    this.#marker = new TurnMarker(limits.nonce, limits.wholeMessages);
    const left = limits.spendings.flatMap((spending) => spending.timeLeftMs() ?? []);
    if (left.length > 0) {
      const ms = Math.min(Math.max(0, ...[Math.min(...left)]), longestTimerMs);
      this.#timeUp = setTimeout(() => this.#checkBudget(), ms + 1);
    }
  }

  see(event: ChatEvent): void {
    this.#marker.see(event);
    switch (event.type) {
      case 'session':
        this.#sessionId = event.sessionId;
        break;
      case 'text':
        this.#said = (this.#said + event.text).slice(-mostKept);
        break;
      case 'tool_start':
        this.#toolsBegun = true;
        this.#openTools.add(event.id);
        this.#said = '';
        break;
      case 'tool_end':
        this.#openTools.delete(event.id);
        break;
      case 'usage': {
        const { type: _, ...usage } = event;
        this.#usage = usage;
        this.#checkBudget();
        break;
      }
      case 'complete':
        this.#answer = event.text;
        this.#usage = event.usage ?? this.#usage;
        if (event.sessionId !== '') this.#sessionId = event.sessionId;
        break;
      case 'error':
        this.#error = event;
        break;
    }
    this.#waitAfterMarker();
  }

  outcome(): IterationOutcome {
    const marker = this.#marker.end();
    const text = this.#answer ?? this.#said;
    return {
      marker,
      output: withoutMarker(text.length > mostKept ? text.slice(-mostKept) : text, this.#limits.nonce),
      ...(this.#sessionId === undefined ? {} : { sessionId: this.#sessionId }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...this.#failure(marker),
    };
  }

  stop(): void {
    clearTimeout(this.#grace);
    clearTimeout(this.#timeUp);
  }

  #failure(marker: boolean): Pick<IterationOutcome, 'error' | 'overBudget'> {
    const error = this.#error;
    // The stop came after the answer: it has ended nothing.
    if (error === undefined || (this.#stopped?.type === 'marker' && marker)) return {};
    if (this.#stopped?.type === 'budget') return { overBudget: this.#stopped.limit };
    const { code, message, retryable, retryAfterMs } = error;
    const claimed = marker ? 'It said that it was complete, and then failed: ' : '';
    return {
      error: {
        code,
        message: `${claimed}${message}`,
        retryable,
        toolsBegun: this.#toolsBegun,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
    };
  }

  #checkBudget(): void {
    for (const spending of this.#limits.spendings) {
      const limit = spending.exceeded(this.#usage);
      if (limit !== undefined) this.#stop({ type: 'budget', limit });
    }
  }

  #waitAfterMarker(): void {
    clearTimeout(this.#grace);
    if (!this.#marker.found || this.#openTools.size > 0) return;
    this.#grace = setTimeout(() => this.#stop({ type: 'marker' }), this.#limits.markerGraceMs);
  }

  #stop(why: Stopped): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    this.#end(why);
  }
}

/** An answer of which more is kept would fill the next agent's prompt. */
const mostKept = 1024 ** 2;
