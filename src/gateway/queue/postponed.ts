import type { StoredEvent } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import { retryStopped, type Stopped } from '../turns/verdicts.js';

/** The message at the head of a channel, if it has been tried and waits to be tried again. */
export async function postponedHead(store: Store, channel: string): Promise<StoredEvent | undefined> {
  const [head] = await store.waiting(channel, 1);
  return head?.notBefore === undefined ? undefined : head;
}

/** Ends the message as cancelled, as if it were stopped while it ran. False if it does not wait any more. */
export async function cancelPostponed(
  store: Store,
  head: StoredEvent,
  reason: Stopped,
  at: number,
): Promise<boolean> {
  const together = (await store.turns(head.id)).at(-1)?.eventIds ?? [head.id];
  const cancelled = await store.cancelWaiting(retryStopped(head, together, reason, at));
  return cancelled.length > 0;
}
