import { StoreError } from '../../store/errors.js';
import type { Postponement, TurnOutcome } from '../../store/store.js';

/** How an attempt ended: for good, or to be made again. */
export type Settlement =
  | { readonly type: 'finish'; readonly outcome: TurnOutcome }
  | { readonly type: 'postpone'; readonly retry: Postponement };

/** Somebody, or something that came, has put an end to it. */
export interface Stopped {
  readonly type: 'stopped';
  readonly by: string;
}

/** Why a running turn is ended from outside. */
export type TurnStop = Stopped | { readonly type: 'drain' } | { readonly type: 'lost_lease' };

/** What becomes of a message over a defect of ours, or a store that can't be used now. */
export function brokenInside(error: unknown, at: number): Settlement {
  const message = error instanceof Error ? error.message : String(error);
  // The disk or the lock, before the agent was asked: the message waits until that is over.
  if (error instanceof StoreError && error.passing) {
    const failure = { code: 'unknown', message } as const;
    return { type: 'postpone', retry: { at, notBefore: at + 5000, error: failure, free: true, events: [] } };
  }
  return failedInside(error, at);
}

export function failedInside(error: unknown, at: number): Settlement {
  const message = error instanceof Error ? error.message : String(error);
  const text = `Something went wrong inside the gateway: ${message}. Send /retry to try again.`;
  return {
    type: 'finish',
    outcome: {
      at,
      state: 'failed',
      error: { code: 'unknown', message },
      messages: [{ role: 'system', text }],
      events: [],
    },
  };
}
