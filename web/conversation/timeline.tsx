import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useCell } from '../cell.js';
import type { ConversationStore } from '../feed/conversation-store.js';
import type { Row } from '../feed/timeline.js';
import { memo } from '../memo.js';
import { Notice } from '../notice.js';
import { Answer } from './answer.js';
import { EmptyConversation } from './empty-conversation.js';
import { PastTurn } from './past-turn.js';
import { Prompt } from './prompt.js';
import { useRowBlocks } from './use-rows.js';
import './timeline.css';

/** So near to the end somebody follows what is said: the view goes along. */
const nearPx = 80;
/** Earlier messages are loaded when so little is left above. */
const loadAheadPx = 1500;
/** Blocks of rows are laid out when they are so near. */
const layOutAheadPx = 3000;

export function Timeline({ store }: { readonly store: ConversationStore }) {
  const state = useCell(store.state);
  const problem = useCell(store.problem);
  const blocks = useRowBlocks(state);
  const view = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [away, setAway] = useState(false);

  const toEnd = () => {
    follows.current = true;
    if (view.current !== null) view.current.scrollTop = view.current.scrollHeight;
  };
  const onScroll = () => {
    if (view.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = view.current;
    follows.current = scrollHeight - scrollTop - clientHeight < nearPx;
    setAway(!follows.current);
    if (scrollTop < loadAheadPx) void store.loadOlder();
  };
  // What is drawn below or above changes its height when it is laid out: the end stays in sight if it was.
  useEffect(() => {
    if (view.current === null || content.current === null) return;
    const observer = new ResizeObserver(() => {
      if (follows.current) toEnd();
    });
    observer.observe(content.current);
    observer.observe(view.current);
    return () => observer.disconnect();
  }, []);

  const first = blocks[0]?.[0]?.key;
  const before = useRef({ first, height: 0 });
  // The browser keeps its place when rows come in above, but not at the very top.
  useLayoutEffect(() => {
    const at = view.current;
    if (at === null) return;
    const grown = at.scrollHeight - before.current.height;
    if (first !== before.current.first && before.current.first !== undefined && at.scrollTop === 0)
      at.scrollTop = grown;
    before.current = { first, height: at.scrollHeight };
    if (at.scrollTop < loadAheadPx) void store.loadOlder();
  }, [first]);

  const cwd = state.status?.cwd;
  return (
    <div class="timeline-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard */}
      <section class="timeline" aria-label="Conversation" ref={view} onScroll={onScroll} tabIndex={0}>
        <div class="timeline-content" ref={content}>
          {problem !== undefined && !state.loaded && <p class="empty">{problem}</p>}
          {!state.loaded && problem === undefined && <p class="empty">Loading …</p>}
          {state.loaded && blocks.length === 0 && (
            <EmptyConversation
              channel={store.channel}
              backend={state.status?.backend}
              mode={state.status?.permissionMode}
            />
          )}
          {state.previous !== undefined && state.previous !== 'none' && (
            <p class="empty">Earlier messages …</p>
          )}
          {blocks.map((rows) => (
            <Block key={rows[0]?.key} rows={rows} cwd={cwd} store={store} />
          ))}
        </div>
      </section>
      {away && (
        <button type="button" class="to-end" onClick={toEnd}>
          ↓ Latest
        </button>
      )}
    </div>
  );
}

interface BlockProps {
  readonly rows: readonly Row[];
  readonly cwd: string | undefined;
  readonly store: ConversationStore;
}

const Block = memo(function Block({ rows, cwd, store }: BlockProps) {
  const block = useRef<HTMLDivElement>(null);
  // Far away, the browser may leave a block out. Nearer it is laid out, so that nothing moves when it comes into sight.
  useEffect(() => {
    const element = block.current;
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => element.classList.toggle('rows-far', entries.at(-1)?.isIntersecting === false),
      { root: element.closest('.timeline'), rootMargin: `${layOutAheadPx}px 0px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="rows" ref={block}>
      {rows.map((row) => (
        <RowView key={row.key} row={row} cwd={cwd} store={store} />
      ))}
    </div>
  );
});

interface RowProps {
  readonly row: Row;
  readonly cwd: string | undefined;
  readonly store: ConversationStore;
}

const RowView = memo(function RowView({ row, cwd, store }: RowProps) {
  switch (row.type) {
    case 'prompt':
      return (
        <div class="row">
          <Prompt message={row.message} />
        </div>
      );
    case 'past':
      return <PastTurn row={row} store={store} />;
    case 'notice':
      return (
        <div class="row notice">
          <Notice text={row.message.text} />
        </div>
      );
    case 'answer':
      return (
        <div class="row">
          <Answer row={row} cwd={cwd} store={store} />
        </div>
      );
  }
});
