import { useState } from 'preact/hooks';
import type { WaitingView } from '../../src/gateway/channels/http/wire.js';
import { api } from '../api.js';
import { firstWords, sentence } from '../in-words.js';
import { WithCode } from '../notice.js';
import type { Outgoing } from './outgoing.js';
import { RetryTime } from './retry-time.js';

export interface WaitingListProps {
  readonly waiting: readonly WaitingView[];
  readonly count: number;
  /** True while the gateway can't be reached: nothing is tried then. */
  readonly lost: boolean;
  readonly outgoing: readonly Outgoing[];
  /** Takes a message back that was not accepted. */
  readonly takeBack: (key: string) => void;
}

/** The messages that wait for their turn, and those that have not reached the gateway. */
export function WaitingList({ waiting, count, lost, outgoing, takeBack }: WaitingListProps) {
  const known = new Set(waiting.map(({ eventId }) => eventId));
  const own = outgoing.filter(({ eventId }) => eventId === undefined || !known.has(eventId));
  if (waiting.length === 0 && own.length === 0) return null;
  const more = count - waiting.length;
  return (
    <ul class="waiting" aria-label="Waiting messages">
      {waiting.map((message) => (
        <Waiting key={message.eventId} message={message} lost={lost} />
      ))}
      {more > 0 && <li class="waiting-more">and {more} more</li>}
      {own.map((message) => (
        <Own key={message.key} message={message} takeBack={takeBack} />
      ))}
    </ul>
  );
}

interface WaitingProps {
  readonly message: WaitingView;
  readonly lost: boolean;
}

function Waiting({ message: { eventId, text, lastError, retryAt }, lost }: WaitingProps) {
  const [problem, setProblem] = useState<string>();
  const cancel = () => api.cancel(eventId).catch((error: Error) => setProblem(error.message));
  return (
    <li>
      <span class="waiting-text">
        {firstWords(text, 160)}
        {problem !== undefined && <small>{problem}</small>}
        {problem === undefined && (lastError ?? retryAt) !== undefined && (
          <small>
            {lastError !== undefined && <WithCode text={`${sentence(lastError.message)} `} />}
            {retryAt !== undefined &&
              (lost ? 'Tried again when the gateway is back.' : <RetryTime at={retryAt} />)}
          </small>
        )}
      </span>
      <button type="button" class="small" aria-label={`Cancel: ${firstWords(text, 40)}`} onClick={cancel}>
        Cancel
      </button>
    </li>
  );
}

function Own({
  message,
  takeBack,
}: {
  readonly message: Outgoing;
  readonly takeBack: (key: string) => void;
}) {
  const { key, text, state, reason, refused } = message;
  const note = {
    sending: 'Sending …',
    accepted: '',
    waiting: `Not sent yet: ${sentence(reason ?? '')} It is tried again.`,
    refused: `Not sent: ${refused}`,
  }[state];
  return (
    <li class={state === 'refused' ? 'waiting-refused' : undefined}>
      <span class="waiting-text">
        {firstWords(text, 160)}
        {note !== '' && <small>{note}</small>}
      </span>
      {(state === 'waiting' || state === 'refused') && (
        <button type="button" class="small" onClick={() => takeBack(key)}>
          Edit
        </button>
      )}
    </li>
  );
}
