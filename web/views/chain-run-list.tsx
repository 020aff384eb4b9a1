import { api } from '../api.js';
import { timeInWords } from '../in-words.js';
import { LoadFailure } from './load-failure.js';
import { RunStatus } from './run-status.js';
import { useLoaded } from './use-loaded.js';

export function ChainRunList() {
  const { value, failure, loading, reload } = useLoaded(
    'runs',
    (signal) => api.chainRuns(signal),
    (list) => (list?.runs.some(({ status }) => status === 'running') ? 4_000 : 20_000),
  );
  const runs = value?.runs ?? [];
  return (
    <section class="view chains" aria-label="Chain runs">
      <header class="view-header">
        <h1>Chain runs</h1>
      </header>
      {failure !== undefined && <LoadFailure failure={failure} onRetry={reload} />}
      {value === undefined && loading && <p class="empty">Loading the runs …</p>}
      {value !== undefined && runs.length === 0 && (
        <p class="empty">
          No chain has run on this machine. Start one with <code>turnout chain run &lt;name&gt;</code>.
        </p>
      )}
      {runs.length > 0 && (
        <table class="runs">
          <caption class="hidden-visually">Chain runs, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Chain</th>
              <th scope="col">Status</th>
              <th scope="col">Started</th>
              <th scope="col">Directory</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <tr key={run.runId}>
                <th scope="row">
                  <a href={`#/chains/${encodeURIComponent(run.runId)}`}>
                    <bdi>{run.chain}</bdi>
                  </a>
                  <span class="run-id">{run.runId}</span>
                </th>
                <td>
                  <RunStatus status={run.status} />
                </td>
                <td>
                  <time dateTime={run.startedAt}>{timeInWords(run.startedAt)}</time>
                </td>
                <td class="run-directory">
                  <bdi>{run.cwd}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
