import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChangedFileView } from '../../src/gateway/channels/http/wire.js';
import { channels } from '../channels.js';
import { printRoute } from '../routes.js';
import { useEscape } from '../use-escape.js';

interface Props {
  readonly file: ChangedFileView;
  readonly until: string;
  /** True while a turn runs: the gateway would refuse it. */
  readonly running: boolean;
  readonly onRevert: (file: ChangedFileView) => Promise<void>;
}

type State =
  | { readonly type: 'idle' }
  /** The answer is about the file as it was shown when the question came: the list may be loaded again meanwhile. */
  | { readonly type: 'asking'; readonly about: ChangedFileView; readonly problem?: string }
  | { readonly type: 'working' };

/** Puts a file back, after a question. If that would lose later changes, the question says so. */
export function Revert({ file, until, running, onRevert }: Props) {
  const [state, setState] = useState<State>({ type: 'idle' });
  const button = useRef<HTMLButtonElement>(null);
  const confirm = useRef<HTMLButtonElement>(null);
  const asking = state.type === 'asking';
  const asked = useRef(false);
  // The button that was pressed goes, and would take the keyboard's place with it.
  useLayoutEffect(() => {
    if (asking) confirm.current?.focus();
    else if (asked.current) button.current?.focus();
    asked.current = asking;
  }, [asking]);

  const close = () => setState({ type: 'idle' });
  useEscape(asking, close);
  const revert = async (about: ChangedFileView) => {
    setState({ type: 'working' });
    try {
      await onRevert(about);
      setState({ type: 'idle' });
    } catch (error) {
      setState({ type: 'asking', about, problem: error instanceof Error ? error.message : String(error) });
    }
  };

  if (!asking) {
    return (
      <button
        ref={button}
        type="button"
        class="small danger"
        aria-label={`Revert ${file.path}`}
        disabled={running || state.type === 'working'}
        title={running ? 'A turn is running: it may be changing files.' : undefined}
        onClick={() => setState({ type: 'asking', about: file })}
      >
        {state.type === 'working' ? 'Reverting …' : 'Revert'}
      </button>
    );
  }
  const { about } = state;
  return (
    <div class="revert-question">
      <p role="alert">
        {state.problem !== undefined && (
          <strong class="problem">
            <WithTitle problem={state.problem} />{' '}
          </strong>
        )}
        {about.status === 'added'
          ? `Remove this file, which was not there ${until}?`
          : `Put this file back as it was ${until}?`}
        {about.changedSince && ' It was changed again since then: those changes would be lost too.'}
      </p>
      <button
        ref={confirm}
        type="button"
        class="small danger"
        disabled={running}
        onClick={() => revert(about)}
      >
        {about.changedSince ? 'Revert, and lose later changes' : 'Revert file'}
      </button>
      <button type="button" class="small" onClick={close}>
        Cancel
      </button>
    </div>
  );
}

/** The gateway names a channel by its id; people know its title. */
function WithTitle({ problem }: { readonly problem: string }) {
  const [before = '', channel, after] = problem.split(/\bchannel ([\w.:~@-]+)(?=, )/);
  if (channel === undefined) return <>{problem}</>;
  const title = channels.value?.find((one) => one.channel === channel)?.title ?? channel;
  return (
    <>
      {before}
      <a href={printRoute({ type: 'conversation', channel })}>{title}</a>
      {after}
    </>
  );
}
