import type { ChatEvent, Usage } from '../../core/chat-event.js';
import { noteSession } from '../sessions/session-index.js';

export interface KeptTurnFacts {
  /** Where the index of sessions is. Without it nothing is kept. */
  readonly home: string | undefined;
  readonly backend: string;
  readonly cwd: string;
  readonly prompt: string;
}

/** Puts the session of a turn into the index, and remembers what the line below the turn tells. */
export class KeptTurn {
  readonly #facts: KeptTurnFacts;
  readonly #begun = performance.now();
  #sessionId: string | undefined;
  #usage: Usage | undefined;
  #kept = false;

  constructor(facts: KeptTurnFacts) {
    this.#facts = facts;
  }

  see(event: ChatEvent): void {
    if (event.type === 'session') this.#sessionId = event.sessionId;
    if (event.type === 'usage') this.#usage = event;
    if (event.type === 'complete' && event.sessionId !== '') this.#sessionId ??= event.sessionId;
    if (event.type === 'complete' && event.usage !== undefined) this.#usage = event.usage;
    // A CLI tells an id before it knows whether it can work: without an account there is nothing to go on with. The first
    // sign of life is early enough for a turn that is killed.
    if (!this.#kept && signsOfLife.has(event.type)) this.#keep();
  }

  /** What there is to tell of the turn; undefined if there is no session to go on with. */
  get told(): { readonly sessionId: string; readonly ms: number; readonly usage?: Usage } | undefined {
    if (!this.#kept || this.#sessionId === undefined) return undefined;
    const usage = this.#usage === undefined ? {} : { usage: this.#usage };
    return { sessionId: this.#sessionId, ms: performance.now() - this.#begun, ...usage };
  }

  #keep(): void {
    if (this.#sessionId === undefined) return;
    this.#kept = true;
    const { home, ...facts } = this.#facts;
    if (home !== undefined) noteSession(home, { ...facts, sessionId: this.#sessionId });
  }
}

const signsOfLife: ReadonlySet<ChatEvent['type']> = new Set([
  ...(['text', 'thinking', 'tool_start', 'permission_request', 'complete'] as const),
]);
