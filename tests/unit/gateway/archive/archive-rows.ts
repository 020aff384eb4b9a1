import type { ChatEvent, Usage } from '../../../../src/core/chat-event.js';
import type { StoredEvent } from '../../../../src/store/rows.js';
import type { Lease, Store, TurnOutcome } from '../../../../src/store/store.js';

export interface Exchange {
  readonly channel: string;
  readonly text: string;
  readonly at: number;
  readonly author?: string;
  readonly backend?: string;
  readonly answer?: string;
  readonly tookMs?: number;
  readonly tool?: { readonly name: string; readonly input: unknown };
  readonly usage?: Usage;
  readonly error?: TurnOutcome['error'];
  readonly events?: readonly ChatEvent[];
}

/** Writes a message and the turn that answers it, as the gateway does. */
export async function exchange(store: Store, made: Exchange): Promise<StoredEvent> {
  const event = await say(store, made);
  const lease = await begin(store, made);
  await finishTurn(store, lease, made);
  return event;
}

export async function say(store: Store, { channel, text, at, author }: Exchange): Promise<StoredEvent> {
  const message = { channel, source: 'http', kind: 'prompt', text, author, at } as const;
  return (await store.accept(message, { maxWaiting: 100_000 })).event;
}

export async function begin(store: Store, made: Exchange): Promise<Lease> {
  const { at, tool } = made;
  const [claim] = await store.claim({ worker: 'test', now: at, leaseUntil: at + 60_000, limit: 1 });
  if (claim === undefined) throw new Error('nothing to claim');
  await store.journal(claim.lease, {
    type: 'began',
    backend: made.backend ?? 'claude',
    model: 'opus',
    cwd: '/work',
    live: false,
    prompt: {
      files: [{ path: 'identity.md', sha256: 'ab'.repeat(32), bytes: 2048, truncated: true }],
      characters: 2000,
      hash: 'cd'.repeat(32),
      seededMessages: 3,
    },
  });
  await store.journal(claim.lease, { type: 'session', sessionId: 'session-1' });
  if (tool !== undefined) {
    await store.journal(claim.lease, { type: 'tool_started', id: 'tool-1', ...tool, at: at + 100 });
    await store.journal(claim.lease, { type: 'tool_ended', id: 'tool-1', isError: false, at: at + 400 });
  }
  return claim.lease;
}

export async function finishTurn(store: Store, lease: Lease, made: Exchange): Promise<void> {
  const { answer = 'done', error, backend = 'claude', usage } = made;
  await store.finish(lease, {
    at: made.at + (made.tookMs ?? 1000),
    state: error === undefined ? 'answered' : 'failed',
    messages:
      error === undefined
        ? [{ role: 'assistant', text: answer, backend }]
        : [{ role: 'system', text: error.message }],
    ...(error === undefined ? { responseText: answer } : { error }),
    usage,
    stopReason: 'end_turn',
    events: made.events ?? [
      { type: 'text', text: answer },
      { type: 'complete', text: answer, sessionId: 'session-1', stopReason: 'end_turn' },
    ],
  });
}
