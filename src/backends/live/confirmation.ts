import type { LiveEvent } from './types.js';

/**
 * A permission request of a session with `confirmTools`. What is allowed always would not be asked about again, so that
 * is no choice. `allowed`: the permission mode has no objection.
 */
export function toBeConfirmed<E extends LiveEvent>(event: E, allowed: boolean): E {
  if (event.type !== 'permission_request') return event;
  const options = event.options.filter((decision) => decision !== 'allow_always');
  return { ...event, options, ...(allowed ? { confirmation: true } : {}) };
}
