import type { ChainRunView } from '../../src/gateway/channels/http/wire.js';
import { api } from '../api.js';
import { timeInWords } from '../in-words.js';
import { ChainStep } from './chain-step.js';
import { LoadFailure } from './load-failure.js';
import { count, duration } from './numbers-in-words.js';
import { RunStatus } from './run-status.js';
import { useLoaded } from './use-loaded.js';

/** One run with its steps. While it runs, it is loaded again every few seconds. */
export function ChainRunDetails({ runId }: { readonly runId: string }) {
  const { value, failure, loading, reload } = useLoaded(
    runId,
    (signal) => api.chainRun(runId, signal),
    (run) => (run === undefined ? 10_000 : run.status === 'running' ? 3_000 : undefined),
  );
  return (
    <section class="view chains" aria-label="Chain run">
      <header class="view-header">
        <h1>
          <bdi>{value?.chain ?? 'Chain run'}</bdi>
        </h1>
        <a class="view-back" href="#/chains">
          All chain runs
        </a>
      </header>
      {failure !== undefined && <LoadFailure failure={failure} onRetry={reload} />}
      {value === undefined && loading && <p class="empty">Loading the run …</p>}
      {value !== undefined && <Run run={value} />}
    </section>
  );
}

function Run({ run }: { readonly run: ChainRunView }) {
  const done = run.steps.filter(({ status }) => status === 'done').length;
  const took = Date.parse(run.endedAt ?? new Date().toISOString()) - Date.parse(run.startedAt);
  return (
    <>
      <p class="run-facts" role="status">
        <RunStatus status={run.status} />
        <span>
          Started <time dateTime={run.startedAt}>{timeInWords(run.startedAt)}</time>
        </span>
        <span>
          {run.endedAt === undefined ? 'for' : 'took'} {duration(took)}
        </span>
        <span>
          {done} of {count(run.steps.length, 'step')} done
        </span>
        <code class="run-id">{run.runId}</code>
      </p>
      {goesOn.has(run.status) && (
        <p class="run-hint">
          Go on with it: <code>turnout chain resume {run.runId}</code>
        </p>
      )}
      {run.steps.length === 0 ? (
        <p class="empty">No step has begun.</p>
      ) : (
        <ol class="chain-steps">
          {run.steps.map((step, index) => (
            <ChainStep key={index} step={step} last={index === run.steps.length - 1} />
          ))}
        </ol>
      )}
    </>
  );
}

const goesOn: ReadonlySet<string> = new Set(['failed', 'incomplete', 'interrupted']);
