import type { LiveEvent } from './types.js';

/**
 * A permission request of a session with `confirmTools`. What is allowed always would not be asked about again, so that
 * is no choice. `allowed`: the permission mode has no objection.
 */
export function toBeConfirmed(event: LiveEvent, allowed: boolean): LiveEvent {
  if (event.type !== 'permission_request') return event;
  const options = event.options.filter((decision) => decision !== 'allow_always');
  const { always: _, ...asked } = event;
  return { ...asked, options, ...(allowed ? { confirmation: true } : {}) };
}
