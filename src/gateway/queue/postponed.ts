import type { StoredEvent } from '../../store/rows.js';
import type { CancelRequest, Store } from '../../store/store.js';
import { retryStopped, type Stopped } from '../turns/verdicts.js';

/** The message at the head of a channel, if it has been tried and waits to be tried again. */
export async function postponedHead(store: Store, channel: string): Promise<StoredEvent | undefined> {
  const [head] = await store.waiting(channel, 1);
  return head?.notBefore === undefined ? undefined : head;
}

/** The request that ends the message as cancelled, as if it were stopped while it ran. */
export async function cancellationOf(
  store: Store,
  head: StoredEvent,
  reason: Stopped,
  at: number,
): Promise<CancelRequest> {
  const together = (await store.turns(head.id)).at(-1)?.eventIds ?? [head.id];
  return retryStopped(head, together, reason, at);
}
