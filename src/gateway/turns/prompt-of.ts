import type { StoredEvent } from '../../store/rows.js';

/** What the agent is asked for the events of one turn: the words of each, and behind them what its channel has added. */
export function promptOf(events: readonly Pick<StoredEvent, 'text' | 'context'>[]): string {
  return events
    .flatMap(({ text, context }) => (context === undefined ? [text] : [text, context]))
    .join('\n\n');
}
