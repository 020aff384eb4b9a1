import type { StoredEvent } from '../../../../store/rows.js';
import type { GatewayFace } from '../../types.js';

const by = 'its client, which has gone';

/** Ends the work on a message whose client is gone. A turn that answers other messages too goes on for them. */
export async function stopTurn(
  gateway: Pick<GatewayFace, 'cancel' | 'status' | 'interrupt'>,
  { id, channel }: StoredEvent,
): Promise<void> {
  if (await gateway.cancel(id)) return;
  const { running } = await gateway.status(channel);
  const { id: turnId, eventIds: [first, ...others] = [] } = running?.turn ?? {};
  // The turn may be over by now, and another client's have begun.
  if (first === id && others.length === 0) await gateway.interrupt(channel, { turnId, by });
}
