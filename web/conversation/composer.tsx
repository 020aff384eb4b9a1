import { useEffect, useRef, useState } from 'preact/hooks';
import type { MessageBody } from '../../src/gateway/channels/http/wire.js';
import type { ChatCommand } from '../../src/gateway/commands/command-list.js';
import { CommandMenuList, commandMenuId, commandOptionId } from './command-menu.js';
import { drafts } from './drafts.js';
import { focusMessage, focusQuestion, hasKeyboard } from './typing.js';
import { commandText, useCommandMenu } from './use-command-menu.js';
import './composer.css';

export interface ComposerProps {
  readonly channel: string;
  readonly running: boolean;
  /** True while the gateway can't be reached: a turn can't be stopped, a message is sent later. */
  readonly lost: boolean;
  /** The number of questions that wait for an answer: a message that is not queued answers them, with no. */
  readonly questions: number;
  /** False if a message can't be taken into a turn that runs: then it waits in any case. */
  readonly steers: boolean;
  readonly send: (text: string, queueMode?: MessageBody['queueMode']) => void;
  readonly stop: () => void;
  /** Gives the composer's parent a way to put text back into it. */
  readonly edit: { put?: (text: string) => void };
}

/** The field for the next message. What is typed is its own matter: nothing else is drawn again for it. */
export function Composer({ channel, running, lost, questions, steers, send, stop, edit }: ComposerProps) {
  const [text, setText] = useState(() => drafts.read(channel));
  const field = useRef<HTMLTextAreaElement>(null);
  const write = (next: string) => {
    setText(next);
    drafts.write(channel, next);
  };
  edit.put = (more) => {
    write(text === '' ? more : `${text}\n${more}`);
    field.current?.focus();
  };
  useEffect(() => {
    if (hasKeyboard()) focusMessage();
  }, []);
  useEffect(() => grow(field.current), [text]);

  const submit = (queueMode?: MessageBody['queueMode']) => {
    if (text.trim() === '') return;
    write('');
    send(text, queueMode);
  };
  const [focused, setFocused] = useState(false);
  const menu = useCommandMenu(text);
  const active = focused ? menu.offered[menu.active] : undefined;
  const choose = (command: ChatCommand) => {
    write(commandText(command));
    field.current?.focus();
  };
  const sendNow = () => submit(running ? 'steer' : undefined);
  const onKeyDown = (event: KeyboardEvent) => {
    // 229: some input methods end a composition with an Enter that does not say so.
    if (event.isComposing || event.keyCode === 229) return;
    if (active !== undefined && menu.takeKey(event, choose)) return;
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    // It is no answer: the next one, which the question gets, is.
    if (text.trim() === '' && questions > 0 && !event.repeat) focusQuestion();
    else if (event.altKey && running) submit('queue');
    else sendNow();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        sendNow();
      }}
    >
      {active !== undefined && <CommandMenuList menu={menu} choose={choose} />}
      <textarea
        ref={field}
        id="message"
        class="composer-field"
        aria-label="Message"
        aria-describedby="message-hint"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={active === undefined ? undefined : commandMenuId}
        aria-activedescendant={active === undefined ? undefined : commandOptionId(active)}
        placeholder="Message"
        rows={1}
        enterkeyhint="send"
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
      />
      <div class="composer-actions">
        <span id="message-hint" class="composer-hint">
          {active === undefined ? (
            <Hint running={running} lost={lost} questions={questions} steers={steers} />
          ) : (
            <span class="composer-keys">↑ and ↓ choose a command, Enter or Tab writes it, Esc closes.</span>
          )}
        </span>
        {running && (
          <button type="button" class="danger" disabled={lost} onClick={stop}>
            Stop
          </button>
        )}
        {running && (steers || questions > 0) && (
          <button
            type="button"
            disabled={text.trim() === ''}
            title="Alt+Enter: it waits until the turn has ended"
            onClick={() => submit('queue')}
          >
            Queue
          </button>
        )}
        <button type="submit" class="primary" disabled={text.trim() === ''}>
          Send
        </button>
      </div>
    </form>
  );
}

function Hint({
  running,
  lost,
  questions,
  steers,
}: Pick<ComposerProps, 'running' | 'lost' | 'questions' | 'steers'>) {
  if (lost) return 'The gateway can’t be reached. What you send now is kept here and sent when it is back.';
  if (questions > 0)
    return (
      <>
        Send denies what is asked, and says what to do instead; Queue waits for the turn’s end.{' '}
        <span class="composer-keys">Without a message, Enter goes to the question. Esc denies it.</span>
      </>
    );
  if (!running) return <span class="composer-keys">Enter sends, Shift+Enter begins a new line.</span>;
  return (
    <>
      {steers
        ? 'Send steers the turn that runs; Queue waits for its end.'
        : 'Send queues: it runs after this turn.'}{' '}
      <span class="composer-keys">Esc stops it.</span>
    </>
  );
}

/** Where the browser can't size a field by its text, its height is set. */
function grow(field: HTMLTextAreaElement | null): void {
  if (field === null || CSS.supports('field-sizing', 'content')) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}
