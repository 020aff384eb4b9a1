import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChangesView as ChangesBody } from '../../src/gateway/channels/http/wire.js';
import { api } from '../api.js';
import { focusQuestion } from '../conversation/typing.js';
import { memo } from '../memo.js';
import { printRoute } from '../routes.js';
import { ChangedFiles } from './changed-files.js';
import { LoadFailure } from './load-failure.js';
import { Tabs } from './tabs.js';
import { useLoaded } from './use-loaded.js';
import './view.css';
import './changes.css';

type Scope = ChangesBody['scope'];

interface Props {
  readonly channel: string;
  /** Anything that changes when a turn has ended: the list is loaded again then. */
  readonly revision?: string | number | undefined;
  /** True if the view stands beside the conversation. */
  readonly panel?: boolean;
  /** What the conversation is busy with, if it is: what the turn changes is not in the list before its end. */
  readonly busy?: 'running' | 'asks' | undefined;
}

/** What the last turn, or the whole conversation, changed in the work tree. */
export const ChangesView = memo(function ChangesView({ channel, revision, panel = false, busy }: Props) {
  const [scope, setScope] = useState<Scope>('turn');
  const subject = `${channel} ${scope}`;
  const { value, failure, loading, reload } = useLoaded(subject, (signal) =>
    api.changes(channel, scope, signal),
  );
  useReloadWhenChanged(revision, reload);
  const Heading = panel ? 'h2' : 'h1';
  return (
    <section class="view changes" aria-label="Changes">
      <header class="view-header">
        <Heading>Changes</Heading>
        {!panel && (
          <a class="view-back" href={`#/c/${encodeURIComponent(channel)}`}>
            Back to the conversation
          </a>
        )}
      </header>
      {busy !== undefined && <Busy busy={busy} channel={channel} />}
      <Tabs
        label="Which changes"
        tabs={[
          ['turn', 'Last turn'],
          ['conversation', 'Whole conversation'],
        ]}
        chosen={scope}
        onChoose={setScope}
        beside={
          <button type="button" class="small" disabled={loading} onClick={reload}>
            {loading ? 'Loading …' : 'Refresh'}
          </button>
        }
      >
        {failure !== undefined && <LoadFailure failure={failure} onRetry={reload} />}
        {value === undefined && loading && <p class="empty">Loading the changes …</p>}
        {value !== undefined && (
          <ChangedFiles
            key={subject}
            changes={value}
            running={busy !== undefined}
            fileLevel={panel ? 3 : 2}
            onReload={reload}
            onRevert={({ path, changedSince, shown }) =>
              api.revert(channel, { scope, path, shown, force: changedSince })
            }
          />
        )}
      </Tabs>
    </section>
  );
});

/** Where the view hides the conversation, it must not hide that somebody is waited for. */
function Busy({ busy, channel }: Required<Pick<Props, 'busy'>> & Pick<Props, 'channel'>) {
  return (
    <p class={`changes-busy changes-${busy}`} role="status">
      <span>
        {busy === 'asks' ? 'The agent waits for you. ' : 'A turn is running. '}
        What it changes is listed when it has ended.
      </span>
      {busy === 'asks' && (
        <a
          class="button small changes-question"
          href={printRoute({ type: 'conversation', channel })}
          // The conversation is shown first.
          onClick={() => setTimeout(focusQuestion, 100)}
        >
          To the question
        </a>
      )}
    </p>
  );
}

function useReloadWhenChanged(revision: unknown, reload: () => void): void {
  const seen = useRef(revision);
  useEffect(() => {
    if (seen.current === revision) return;
    seen.current = revision;
    reload();
  }, [revision, reload]);
}
