import { useCell } from '../cell.js';
import { outgoingOf } from './outgoing.js';

export interface EmptyConversationProps {
  readonly channel: string;
  readonly backend: string | undefined;
  readonly mode: string | undefined;
}

/** What the demo's agent understands, for those who see it for the first time. */
const demoPrompts = ['show me around', 'count to 100 slowly', 'help'];

export function EmptyConversation({ channel, backend, mode }: EmptyConversationProps) {
  const outgoing = outgoingOf(channel);
  const isSent = useCell(outgoing.list).length > 0;
  return (
    <div class="empty">
      <h2>A new conversation</h2>
      <p>
        Write below what is to be done, and press Enter. The agent works in the directory shown above.{' '}
        <Permissions mode={mode} />
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

/** What it may do without a word: nobody should wait for a question that never comes. */
function Permissions({ mode }: Pick<EmptyConversationProps, 'mode'>) {
  switch (mode) {
    case 'bypass':
      return (
        <>
          <b>It asks nothing, and does what it decides.</b> To be asked first, set{' '}
          <code>PERMISSION_MODE=ask</code> and start the gateway again.
        </>
      );
    case 'edits':
      return 'It changes files without asking.';
    case 'plan':
      return 'It reads and plans, and changes nothing.';
    case 'ask':
      return 'When it needs your permission, it asks here.';
    default:
      return null;
  }
}
