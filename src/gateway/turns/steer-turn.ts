import { notice } from '../../core/chat-event.js';
import type { StoredEvent } from '../../store/rows.js';
import type { AgentTurn } from '../agents/agents.js';
import { promptOf } from './prompt-of.js';
import type { RunningTurn } from './running-turn.js';
import type { WorkerParts } from './worker-parts.js';

type Parts = Pick<WorkerParts, 'store' | 'log' | 'feed'>;

const shownOfSteering = 200;

/** Puts a message into a running turn. False if that can't be done: the message waits like any other. */
export async function steerTurn(running: RunningTurn, event: StoredEvent, parts: Parts): Promise<boolean> {
  if (running.agent === undefined) return false;
  const steering = steer(running, running.agent, event, parts);
  running.steering.add(steering);
  return steering.finally(() => running.steering.delete(steering));
}

async function steer(
  running: RunningTurn,
  agent: AgentTurn,
  event: StoredEvent,
  { store, log, feed }: Parts,
): Promise<boolean> {
  const joined = await store.join(running.lease, { limit: 1, only: event.id });
  if (joined.length === 0) return false;
  const steered = await agent.steer(promptOf([event])).catch((error: unknown) => {
    log.warn('a running turn could not be steered', { channel: event.channel, error });
    return false;
  });
  if (!steered) await store.leave(running.lease, event.id);
  else {
    running.mayStaySilent = false;
    recordSteering(running, event, feed);
  }
  return steered;
}

/** Whoever reads the turn should see where the message came in: what follows may be its answer. */
function recordSteering(
  { attempt, lease }: RunningTurn,
  { id, text }: StoredEvent,
  feed: Pick<Parts['feed'], 'changed'>,
): void {
  // Nothing follows the end.
  if (!attempt.recorder.hasEnded) {
    const message = `A message came in: ${text.slice(0, shownOfSteering)}`;
    attempt.recorder.accept({ ...notice('info', message), eventId: id });
  }
  feed.changed(lease.channel);
}
