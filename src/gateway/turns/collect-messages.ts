import type { StoredEvent } from '../../store/rows.js';
import type { Lease } from '../../store/store.js';
import type { WorkerParts } from './worker-parts.js';

/** The limit of messages that become one turn in `collect` mode. */
const maxCollected = 50;

type Parts = Pick<WorkerParts, 'store' | 'runtime' | 'watch' | 'refuse'>;

/** The messages that become one turn with the event: by the queue mode of the one behind it. */
export async function collectMessages(
  lease: Lease,
  event: StoredEvent,
  parts: Parts,
): Promise<readonly StoredEvent[]> {
  const { store, runtime, watch } = parts;
  const [next] = await store.waiting(event.channel, 1);
  if (next?.kind !== 'prompt') return [event];
  const settings = await runtime.settings(event.channel, await store.channel(event.channel));
  const mode = next.queueMode ?? settings.queueMode;
  if (mode === 'steer') return [event, ...(await rejoin(lease, store))];
  if (mode !== 'collect' || event.queueMode === 'queue') return [event];
  const limit = await countAllowed(event.channel, parts);
  if (limit === 0) return [event];
  const joined = await store.join(lease, { limit });
  watch('joined');
  return [event, ...joined];
}

/** Other people's messages wait, too: the first that is refused has a turn of its own next, in which its author is told why. */
async function countAllowed(channel: string, { store, refuse }: Parts): Promise<number> {
  if (refuse === undefined) return maxCollected - 1;
  const waiting = await store.waiting(channel, maxCollected - 1);
  let allowed = 0;
  for (const event of waiting) {
    if (event.kind === 'prompt' && (await refuse(event)) !== undefined) break;
    allowed += 1;
  }
  return allowed;
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
