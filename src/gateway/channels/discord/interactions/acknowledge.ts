import { setTimeout as sleep } from 'node:timers/promises';
import type { APIInteractionResponse } from 'discord.js';
import { waitLimit } from '../../../../core/wait-limit.js';
import type { InteractionKey } from '../discord-api.js';
import type { InteractionParts } from './ports.js';
import { isAnswered, isOver } from './problems.js';

/** Discord's limit. Whatever comes later is refused, and the person is told that the bot did not respond. */
const acknowledgeMs = 3000;
const looks = 3;

/**
 * Promises an answer to an interaction. False if Discord did not hear it in time: its person has been told so by Discord and may do
 * it again, so that nothing must be done now.
 */
export async function acknowledge(
  { api, log, acknowledgeMs: ms = acknowledgeMs }: InteractionParts,
  key: InteractionKey,
  promise: APIInteractionResponse,
  stopped: AbortSignal,
): Promise<boolean> {
  const { signal, release } = waitLimit(ms, [stopped]);
  try {
    await api.respond(key, promise, signal);
    return true;
  } catch (error) {
    // A former try of the same request was heard.
    if (isAnswered(error)) return true;
    const heard = !isOver(error) && (await wasHeard(api, key, ms / 3, stopped));
    if (!heard) log.warn('an interaction was not acknowledged in time: nothing was done', { error });
    return heard;
  } finally {
    release();
  }
}

/** The time is over: if Discord has heard the promise, there is a message that waits for the answer. */
async function wasHeard(
  api: InteractionParts['api'],
  key: InteractionKey,
  pauseMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  for (let look = 0; look < looks && !signal.aborted; look++) {
    try {
      await api.response(key);
      return true;
    } catch (error) {
      if (isOver(error)) return false;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
}
