import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChangedFileView } from '../../src/gateway/channels/http/wire.js';

interface Props {
  readonly file: ChangedFileView;
  readonly reverted: boolean;
  readonly until: string;
  readonly onRevert: (force: boolean) => Promise<void>;
}

type State =
  | { readonly type: 'idle' }
  | { readonly type: 'asking'; readonly problem?: string }
  | { readonly type: 'working' };

/** Puts a file back, after a question. If that would lose later changes, the question says so. */
export function Revert({ file, reverted, until, onRevert }: Props) {
  const [state, setState] = useState<State>({ type: 'idle' });
  const button = useRef<HTMLButtonElement>(null);
  const confirm = useRef<HTMLButtonElement>(null);
  const asking = state.type === 'asking';
  useEffect(() => {
    if (asking) confirm.current?.focus();
  }, [asking]);

  const close = () => {
    setState({ type: 'idle' });
    queueMicrotask(() => button.current?.focus());
  };
  const revert = async () => {
    setState({ type: 'working' });
    try {
      await onRevert(file.changedSince);
      setState({ type: 'idle' });
    } catch (error) {
      setState({ type: 'asking', problem: error instanceof Error ? error.message : String(error) });
    }
  };

  if (!asking) {
    return (
      <button
        ref={button}
        type="button"
        class="small danger"
        aria-label={`Revert ${file.path}`}
        disabled={state.type === 'working' || reverted}
        onClick={() => setState({ type: 'asking' })}
      >
        {state.type === 'working' ? 'Reverting …' : reverted ? 'Reverted' : 'Revert'}
      </button>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the question from any of its buttons
    <div
      class="revert-question"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        close();
      }}
    >
      <p role="alert">
        {state.problem !== undefined && <strong class="problem">{state.problem} </strong>}
        {file.status === 'added'
          ? `Remove this file, which was not there ${until}?`
          : `Put this file back as it was ${until}?`}
        {file.changedSince && ' It was changed again since then: those changes would be lost too.'}
      </p>
      <button ref={confirm} type="button" class="small danger" onClick={revert}>
        {file.changedSince ? 'Revert, and lose later changes' : 'Revert file'}
      </button>
      <button type="button" class="small" onClick={close}>
        Cancel
      </button>
    </div>
  );
}
