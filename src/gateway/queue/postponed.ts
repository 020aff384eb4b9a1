import type { StoredEvent } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import type { Stopped } from '../turns/verdicts.js';

/** The message at the head of a channel, if it has been tried and waits to be tried again. */
export async function postponedHead(store: Store, channel: string): Promise<StoredEvent | undefined> {
  const [head] = await store.waiting(channel, 1);
  return head?.notBefore === undefined ? undefined : head;
}

/** Ends it as cancelled, as if it were stopped while it ran. False: it waits no more. */
export async function cancelPostponed(
  store: Store,
  head: StoredEvent,
  { by }: Stopped,
  at: number,
): Promise<boolean> {
  const message = `Stopped by ${by} while it waited for its retry`;
  const failed = head.error === undefined ? '' : ` (${head.error.code}): ${head.error.message}`;
  const cancelled = await store.cancelWaiting({
    channel: head.channel,
    at,
    error: { code: 'interrupted', message },
    // With all that was in the turn that failed.
    only: (await store.turns(head.id)).at(-1)?.eventIds ?? [head.id],
    notice: `${message}. The last attempt had failed${failed}\nSend /retry to run it again.`,
  });
  return cancelled.length > 0;
}
