import type { StoredEvent } from '../../store/rows.js';

/** The instructions of the events of one turn, each once; undefined if there are none. */
export function instructionsOf(events: readonly Pick<StoredEvent, 'instructions'>[]): string | undefined {
  const all = new Set(
    events.flatMap(({ instructions }) => (instructions === undefined ? [] : [instructions])),
  );
  return all.size === 0 ? undefined : [...all].join('\n\n');
}
