import type { ComponentType } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { describeToolInput } from '../../src/core/tool-input.js';
import type { MessageBody } from '../../src/gateway/channels/http/wire.js';
import { api } from '../api.js';
import { useCell } from '../cell.js';
import { channelsChanged } from '../channels.js';
import type { Conversation } from '../feed/conversation.js';
import { ConversationStore } from '../feed/conversation-store.js';
import type { Turn } from '../feed/turn.js';
import { ListButton } from '../list-button.js';
import { printRoute } from '../routes.js';
import { Composer } from './composer.js';
import { archive } from './conversation-menu.js';
import { Head } from './head.js';
import { outgoingOf } from './outgoing.js';
import { PermissionCard } from './permission-card.js';
import { RunningBar } from './running-bar.js';
import { Todos } from './steps.js';
import { Timeline } from './timeline.js';
import { denyQuestion, focusMessage, isForTurn, takesText } from './typing.js';
import { useAttention } from './use-attention.js';
import { WaitingList } from './waiting-list.js';
import './conversation.css';

export interface ConversationViewProps {
  readonly channel: string;
  readonly openList: () => void;
  /** The view of the changes, if it is shown beside the conversation. */
  readonly Changes: ComponentType<ChangesProps> | undefined;
}

export interface ChangesProps {
  readonly channel: string;
  /** Another value when a turn has ended. */
  readonly revision?: string | number | undefined;
  readonly panel?: boolean;
  /** What the conversation is busy with, if it is. */
  readonly busy?: 'running' | 'asks' | undefined;
}

export function ConversationView({ channel, openList, Changes }: ConversationViewProps) {
  const store = useStore(channel);
  const refusal = useCell(store.refusal);
  if (refusal !== undefined) return <NoConversation why={refusal} openList={openList} />;
  return (
    <>
      <div class="conversation">
        <Head store={store} openList={openList} changes={Changes !== undefined} />
        <Timeline store={store} />
        <Foot store={store} />
      </div>
      {Changes !== undefined && <Side store={store} Changes={Changes} />}
    </>
  );
}

function NoConversation({ why, openList }: { readonly why: string; readonly openList: () => void }) {
  return (
    <div class="page">
      <div class="view-head">
        <ListButton open={openList} />
      </div>
      <div class="empty" role="alert">
        <h1>There is no such conversation</h1>
        <p>{why}</p>
        <p>
          <a href={printRoute({ type: 'start' })}>Go to the newest conversation</a>
        </p>
      </div>
    </div>
  );
}

function Side({
  store,
  Changes,
}: {
  readonly store: ConversationStore;
  readonly Changes: ComponentType<ChangesProps>;
}) {
  const { turns, status } = useCell(store.state);
  const busy = (status?.permissions.length ?? 0) > 0 ? 'asks' : status?.running && 'running';
  const ended = turns.findLast(({ state }) => state !== 'running');
  const { channel } = store;
  return (
    <div class="side">
      <p class="side-back">
        <a href={printRoute({ type: 'conversation', channel })}>← Conversation</a>
      </p>
      <Changes channel={channel} revision={`${ended?.turnId} ${ended?.state}`} busy={busy} panel />
    </div>
  );
}

/** The component is made anew for another channel. */
function useStore(channel: string): ConversationStore {
  const [store] = useState(() => new ConversationStore(channel, channelsChanged));
  useEffect(() => () => store.close(), [store]);
  return store;
}

function Foot({ store }: { readonly store: ConversationStore }) {
  const state = useCell(store.state);
  const { channel } = store;
  const outgoing = useMemo(() => outgoingOf(channel), [channel]);
  const own = useCell(outgoing.list);
  const edit = useRef<{ put?: (text: string) => void }>({});
  const connection = useCell(store.connection);
  useAttention(channel, state, connection);
  const lost = connection === 'lost';
  const { status, messages } = state;
  const permissions = status?.permissions ?? [];
  const turnId = status?.running?.turnId;
  const running = turnId !== undefined;

  useEffect(() => {
    const seen = new Set(messages.map(({ eventId }) => eventId));
    outgoing.forget((eventId) => seen.has(eventId));
  }, [messages, own]);

  const stop = () =>
    void api.interrupt(channel, turnId === undefined ? {} : { turnId }).catch(() => undefined);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
        return;
      const isEscape = event.key === 'Escape' && !event.repeat;
      if (isEscape && running && !lost && isForTurn(event.target) && !denyQuestion()) stop();
      if (event.key === '/' && !takesText(event.target)) {
        event.preventDefault();
        focusMessage();
      }
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [turnId, channel, lost]);

  const ids = permissions.map(({ id }) => id).join(' ');
  const send = useMemo(
    () => (text: string, queueMode?: MessageBody['queueMode']) => {
      // A command answers nothing, and a message that waits until the turn has ended leaves its questions as they are.
      const denies = text.startsWith('/') || queueMode === 'queue' || ids === '' ? [] : ids.split(' ');
      outgoing.send(text, { queueMode, denies });
    },
    [ids, outgoing],
  );
  const takeBack = (key: string) => edit.current.put?.(outgoing.take(key));
  const retry = canRetry(state);
  return (
    <footer class="foot">
      <div class="foot-above">
        {permissions.map((permission) => (
          <PermissionCard key={permission.id} permission={permission} />
        ))}
        {running && <TodoList state={state} asks={permissions.length > 0} />}
        {status?.running !== undefined && (
          <RunningBar running={status.running} asks={permissions.length > 0} lost={lost} />
        )}
        <WaitingList
          waiting={status?.waiting ?? []}
          count={status?.waitingCount ?? 0}
          lost={lost}
          outgoing={own}
          takeBack={takeBack}
        />
        {status?.archived && (
          <p class="retry">
            <span>This conversation is archived. A new message brings it back.</span>
            <button type="button" class="small" onClick={() => archive(channel, false)}>
              Bring back
            </button>
          </p>
        )}
        {retry && (
          <p class="retry">
            <span>The last message was not answered.</span>
            <button type="button" class="small" onClick={() => outgoing.send('/retry')}>
              Retry
            </button>
          </p>
        )}
      </div>
      <div class="foot-message">
        <Composer
          channel={channel}
          running={running}
          lost={lost}
          questions={permissions.length}
          steers={status?.steers !== false}
          send={send}
          stop={stop}
          edit={edit.current}
        />
      </div>
    </footer>
  );
}

/** True if the last prompt has ended without an answer. */
function canRetry({ loaded, messages, status }: Conversation): boolean {
  if (!loaded || status === undefined || status.running !== undefined || status.waitingCount > 0)
    return false;
  const prompt = messages.findLastIndex(({ role, text }) => role === 'user' && !text.startsWith('/'));
  if (prompt === -1) return false;
  const behind = messages.slice(prompt + 1);
  // A prompt that has just come is not running yet.
  return behind.length > 0 && behind.every(({ role }) => role !== 'assistant');
}

interface TodoListProps {
  readonly state: Conversation;
  /** True while a question waits: then the list is folded where there is little room. */
  readonly asks: boolean;
}

function TodoList({ state: { turns }, asks }: TodoListProps) {
  const items = useMemo(() => lastTodos(turns.at(-1)), [turns]);
  if (items === undefined || items.length === 0) return null;
  const done = items.filter(({ state }) => state === 'completed').length;
  return (
    <details
      class="todo-list"
      open={done < items.length && matchMedia(asks ? '(min-height: 900px)' : '(min-height: 700px)').matches}
    >
      <summary>
        Todo list: {done} of {items.length} done
      </summary>
      <Todos items={items} />
    </details>
  );
}

function lastTodos(turn: Turn | undefined) {
  for (const step of turn?.steps.toReversed() ?? []) {
    if (step.type !== 'tool') continue;
    const action = describeToolInput(step.name, step.input);
    if (action.type === 'todos') return action.items;
  }
  return undefined;
}
