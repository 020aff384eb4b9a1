import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api.js';
import { announcement } from '../attention.js';
import { channelsChanged } from '../channels.js';
import { useEscape } from '../use-escape.js';

export interface ConversationMenuProps {
  readonly channel: string;
  readonly archived: boolean;
  /** True while something runs or waits: it would ask for an answer where nobody looks. */
  readonly busy: boolean;
  readonly rename: () => void;
}

/** What can be done with the conversation as a whole. */
export function ConversationMenu({ channel, archived, busy, rename }: ConversationMenuProps) {
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState<string>();
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEscape(open, close);
  useEffect(() => {
    if (!open) return;
    setProblem(undefined);
    const onPointerDown = ({ target }: PointerEvent) => {
      if (!menu.current?.contains(target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', onPointerDown);
    return () => removeEventListener('pointerdown', onPointerDown);
  }, [open]);
  const putAway = async () => {
    const failure = await archive(channel, !archived);
    if (failure === undefined) close();
    else setProblem(failure);
  };
  return (
    <div
      class="conversation-menu"
      ref={menu}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !menu.current?.contains(relatedTarget)) setOpen(false);
      }}
    >
      <button
        ref={button}
        type="button"
        class="small"
        aria-label="More about this conversation"
        title="Rename or archive"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        ⋯
      </button>
      {open && (
        <div class="conversation-choices">
          <button
            type="button"
            class="plain"
            onClick={() => {
              setOpen(false);
              rename();
            }}
          >
            Rename
          </button>
          <button
            type="button"
            class="plain"
            disabled={busy && !archived}
            title={busy && !archived ? 'It can be archived when nothing runs or waits in it' : undefined}
            onClick={putAway}
          >
            {archived ? 'Bring back' : 'Archive'}
          </button>
          {problem !== undefined && (
            <p class="failure" role="alert">
              {problem}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

/** Puts a conversation away, or brings it back. Returns why it could not, if so. */
export async function archive(channel: string, archived: boolean): Promise<string | undefined> {
  try {
    await api.changeChannel(channel, { archived });
    announcement.set(archived ? 'The conversation is archived.' : 'The conversation is in the list again.');
    channelsChanged();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
