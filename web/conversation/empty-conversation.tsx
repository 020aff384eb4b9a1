import { useCell } from '../cell.js';
import { outgoingOf } from './outgoing.js';

export interface EmptyConversationProps {
  readonly channel: string;
  readonly backend: string | undefined;
}

/** What the demo's agent understands, for those who see it for the first time. */
const demoPrompts = ['show me around', 'count to 100 slowly', 'help'];

export function EmptyConversation({ channel, backend }: EmptyConversationProps) {
  const outgoing = outgoingOf(channel);
  const isSent = useCell(outgoing.list).length > 0;
  return (
    <div class="empty">
      <h2>A new conversation</h2>
      <p>
        Write below what is to be done, and press Enter. The agent works in the directory shown above; when it
        needs your permission, it asks here.
      </p>
      {backend === 'demo' && (
        <>
          <p>This is a demo, without a model. Try one of these:</p>
          <p class="empty-prompts">
            {demoPrompts.map((text) => (
              <button key={text} type="button" disabled={isSent} onClick={() => outgoing.send(text)}>
                {text}
              </button>
            ))}
          </p>
        </>
      )}
    </div>
  );
}
