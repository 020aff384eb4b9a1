import { useState } from 'preact/hooks';
import { prose } from '../../src/core/text.js';
import type { MessageView } from '../../src/gateway/channels/http/wire.js';
import { isDropped } from '../feed/timeline.js';
import { timeInWords } from '../in-words.js';

const longPrompt = 3000;

/** What somebody has said. */
export function Prompt({ message }: { readonly message: MessageView }) {
  const { createdAt, author } = message;
  const text = prose(message.text);
  const [whole, setWhole] = useState(false);
  if (/^\/[a-z]+(?:\s|$)/i.test(text) && text.length < 200) {
    return (
      <div class="command-row">
        <code>{text}</code>
      </div>
    );
  }
  const cut = !whole && text.length > longPrompt;
  const dropped = isDropped(message);
  return (
    <div class={dropped ? 'prompt prompt-dropped' : 'prompt'}>
      <div class="prompt-text">
        <span class="hidden-visually">{prose(author ?? 'You')} said: </span>
        {cut ? `${text.slice(0, longPrompt)} …` : text}
        {cut && (
          <button type="button" class="small" onClick={() => setWhole(true)}>
            Show all
          </button>
        )}
      </div>
      <span class="prompt-about">
        {author !== undefined && `${prose(author)} · `}
        {dropped && 'Cancelled, never ran · '}
        <Time iso={createdAt} />
      </span>
    </div>
  );
}

export function Time({ iso }: { readonly iso: string }) {
  return (
    <time class="time" dateTime={iso} title={new Date(iso).toLocaleString()}>
      {timeInWords(iso)}
    </time>
  );
}
