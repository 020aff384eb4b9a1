import { type ChatEvent, errorEvent, type Usage } from '../core/chat-event.js';
import { duration } from '../core/format.js';
import { longestTimerMs } from '../core/wait.js';
import { withoutMarker } from '../runner/marker.js';
import { TurnMarker } from '../runner/turn-marker.js';
import type { IterationError, SettledIteration } from './journal.js';
import type { Spending } from './spending.js';

/** How one run of an agent ended. */
export type IterationOutcome = Pick<
  SettledIteration,
  'marker' | 'output' | 'sessionId' | 'usage' | 'error' | 'stopped'
>;

export interface IterationListener {
  readonly onEvent: (event: ChatEvent) => void | Promise<void>;
  readonly onSession: (sessionId: string) => void;
}

export interface IterationLimits {
  readonly signal: AbortSignal;
  /** The accounts of the chain and of the step. */
  readonly spendings: readonly Spending[];
  readonly nonce: string | undefined;
  /** In a loop an agent that has said the marker and then says nothing for so long is ended: its work is done. Else undefined. */
  readonly markerGraceMs: number | undefined;
  /** A run that tells nothing for so long is given up. */
  readonly silenceMs: number;
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
  const watch = new IterationWatch(limits, () => stop.abort());
  try {
    for await (const event of send(AbortSignal.any([limits.signal, stop.signal]))) {
      if (event.type === 'session') listener.onSession(event.sessionId);
      watch.see(event);
      await listener.onEvent(event);
      watch.restartClocks();
    }
    return watch.outcome();
  } finally {
    watch.close();
  }
}

/** Why Turnout itself has ended a run. */
type Cause =
  | { readonly type: 'marker' }
  | { readonly type: 'silence' }
  | { readonly type: 'budget'; readonly limit: string };

/** Events don't prolong the time after the marker beyond so many graces. */
const mostGraces = 10;

/** What has been seen of a run so far, and its clocks. */
class IterationWatch {
  readonly #limits: IterationLimits;
  readonly #end: () => void;
  readonly #marker: TurnMarker;
  readonly #openTools = new Set<string>();
  #timeUp: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #lastGrace: NodeJS.Timeout | undefined;
  #cause: Cause | undefined;
  #toolsBegun: boolean;
  #said = '';
  #answer: string | undefined;
  #sessionId: string | undefined;
  #usage: Usage | undefined;
  #error: Extract<ChatEvent, { readonly type: 'error' }> | undefined;

  constructor(limits: IterationLimits, end: () => void) {
    this.#limits = limits;
    this.#end = end;
    this.#toolsBegun = limits.toolsUntold;
    this.#marker = new TurnMarker(limits.nonce, limits.wholeMessages);
    this.#waitForTime();
    this.restartClocks();
  }

  /** The clocks stand still until `restartClocks`: the time that a listener takes is not the agent's. */
  see(event: ChatEvent): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#grace);
    // Of a program's output only the end is its answer, which may begin in a sentence or a fence; all of it was seen as text.
    if (event.type !== 'complete' || !this.#limits.toolsUntold) this.#marker.see(event);
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

  close(): void {
    for (const timer of [this.#grace, this.#lastGrace, this.#silence, this.#timeUp]) clearTimeout(timer);
  }

  #failure(marker: boolean): Pick<IterationOutcome, 'error' | 'stopped'> {
    const error = this.#cause?.type === 'silence' ? this.#silent() : this.#error;
    // A stop that came after the answer has ended nothing.
    if (error === undefined || (this.#cause?.type === 'marker' && marker)) return {};
    if (this.#cause?.type === 'budget') return { stopped: { by: 'budget', limit: this.#cause.limit } };
    if (this.#limits.signal.aborted) return { stopped: { by: 'signal' } };
    if (hitTurnLimit.test(error.message)) return this.#unfinished(error);
    const claimed = marker ? 'It said that it was complete, and then failed: ' : '';
    return { error: this.#describe(error, claimed) };
  }

  /** The agent's own limit of turns ends a run of a loop like any other that is not done yet. */
  #unfinished(error: ErrorLike): Pick<IterationOutcome, 'error'> {
    if (this.#limits.markerGraceMs !== undefined) return {};
    const message = `${error.message}. Raise the agent's maxTurns (BACKEND_MAX_TURNS), or give the step iterations.`;
    return { error: { ...this.#describe(error, ''), message, retryable: false } };
  }

  #describe({ code, message, retryable, retryAfterMs }: ErrorLike, claimed: string): IterationError {
    return {
      code,
      message: `${claimed}${message}`,
      retryable,
      toolsBegun: this.#toolsBegun,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
  }

  #silent(): ErrorLike {
    return errorEvent('timeout', `It told nothing for ${duration(this.#limits.silenceMs)}, and was ended.`);
  }

  /** A timer may ring a moment too early, or be shorter than the time that is left: then it is set again. */
  #waitForTime(): void {
    const left = this.#limits.spendings.flatMap((spending) => spending.timeLeftMs() ?? []);
    if (left.length === 0 || this.#cause !== undefined) return;
    const ms = Math.min(Math.max(1, Math.ceil(Math.min(...left))), longestTimerMs);
    this.#timeUp = setTimeout(() => {
      this.#checkBudget();
      this.#waitForTime();
    }, ms);
  }

  #checkBudget(): void {
    for (const spending of this.#limits.spendings) {
      const limit = spending.exceeded(this.#usage);
      if (limit !== undefined) this.#stop({ type: 'budget', limit });
    }
  }

  restartClocks(): void {
    const { silenceMs, markerGraceMs } = this.#limits;
    this.#silence = setTimeout(() => this.#stop({ type: 'silence' }), Math.min(silenceMs, longestTimerMs));
    if (markerGraceMs === undefined || !this.#marker.found) return;
    const done = () => this.#stop({ type: 'marker' });
    this.#lastGrace ??= setTimeout(done, markerGraceMs * mostGraces);
    if (this.#openTools.size === 0) this.#grace = setTimeout(done, markerGraceMs);
  }

  #stop(cause: Cause): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    this.#end();
  }
}

type ErrorLike = Pick<
  Extract<ChatEvent, { readonly type: 'error' }>,
  'code' | 'message' | 'retryable' | 'retryAfterMs'
>;

/** The words of Claude, the one CLI with such a limit (2.1.325). */
const hitTurnLimit = /\bmaximum number of turns\b/i;

/** An answer of which more is kept would fill the next agent's prompt. */
const mostKept = 128 * 1024;
