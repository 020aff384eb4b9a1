import { useEffect, useState } from 'preact/hooks';
import type { ConversationStore } from '../feed/conversation-store.js';
import type { Row } from '../feed/timeline.js';

export interface PastTurnProps {
  readonly row: Extract<Row, { type: 'past' }>;
  readonly store: ConversationStore;
}

/**
 * A turn that ended without an answer, before this page was opened. When it is read, its steps stand here in place of this:
 * at once if it is the last one, and otherwise when somebody asks for it.
 */
export function PastTurn({ row: { message, last }, store }: PastTurnProps) {
  const [state, setState] = useState<'unread' | 'reading' | 'nothing' | { readonly problem: string }>(
    'unread',
  );
  const read = async () => {
    if (message.eventId === null) return;
    setState('reading');
    const problem = await store.loadTurns(message.eventId);
    // With steps, this is not here any more.
    setState(problem === undefined ? 'nothing' : { problem });
  };
  useEffect(() => {
    if (last && state === 'unread') void read();
  }, [last]);
  if (state === 'nothing') {
    return last ? null : (
      <div class="row">
        <p class="step-notice">Nothing was said or done before.</p>
      </div>
    );
  }
  return (
    <div class="row past-turn">
      {typeof state === 'object' && <p class="failure">{state.problem}</p>}
      <button type="button" class="small" disabled={state === 'reading'} onClick={read}>
        {state === 'reading' ? 'Loading …' : 'Show what was said and done'}
      </button>
    </div>
  );
}
