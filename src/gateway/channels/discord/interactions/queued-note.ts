import { customId } from './custom-id.js';
import type { ButtonRow } from './permission-message.js';

export interface Note {
  readonly content: string;
  readonly components: ButtonRow[];
}

/** The note at a message that waits. The turn that runs counts as the first one ahead of it. */
export function queuedNote(eventId: string, ahead: number): Note {
  return {
    content: `-# Queued, ${ahead} ahead`,
    components: [
      {
        type: 1,
        components: [
          { type: 2, style: 2, label: 'Cancel', custom_id: customId({ type: 'cancel', eventId }) },
          {
            type: 2,
            style: 1,
            label: 'Interrupt and send',
            custom_id: customId({ type: 'runNext', eventId }),
          },
        ],
      },
    ],
  };
}

/** The note for all messages that have none of their own. */
export function moreNote(count: number): Note {
  const which = count === 1 ? '1 more message waits' : `${count} more messages wait`;
  return { content: `-# Queued: ${which}. Whoever deletes a message cancels it.`, components: [] };
}
