import type { StoredEvent } from '../../store/rows.js';
import type { Lease } from '../../store/store.js';
import type { WorkerParts } from './worker-parts.js';

/** The limit of messages that become one turn in `collect` mode. */
const maxCollected = 50;

type Parts = Pick<WorkerParts, 'store' | 'runtime' | 'watch'>;

/** The messages that become one turn with the event: by the queue mode of the one behind it. */
export async function collectMessages(
  lease: Lease,
  event: StoredEvent,
  { store, runtime, watch }: Parts,
): Promise<readonly StoredEvent[]> {
  const [next] = await store.waiting(event.channel, 1);
  if (next?.kind !== 'prompt') return [event];
  const settings = await runtime.settings(event.channel, await store.channel(event.channel));
  const mode = next.queueMode ?? settings.queueMode;
  if (mode === 'steer') return [event, ...(await rejoin(lease, store))];
  if (mode !== 'collect' || event.queueMode === 'queue') return [event];
  const joined = await store.join(lease, { limit: maxCollected - 1 });
  watch('joined');
  return [event, ...joined];
}

/** Takes back the messages that had been steered into the failed attempt: they are tried again with its first message. */
async function rejoin(lease: Lease, store: Parts['store']): Promise<readonly StoredEvent[]> {
  const joined: StoredEvent[] = [];
  for (;;) {
    const [next] = await store.waiting(lease.channel, 1);
    if (next?.kind !== 'prompt' || next.error === undefined) return joined;
    const [again] = await store.join(lease, { limit: 1, only: next.id });
    if (again === undefined) return joined;
    joined.push(again);
  }
}
