import { useMemo, useState } from 'preact/hooks';
import { api } from '../api.js';
import { Chart } from './chart.js';
import { Choice } from './choice.js';
import { LoadFailure } from './load-failure.js';
import { dollars, duration, plainCode, shortNumber } from './numbers-in-words.js';
import { durationTicks, numberTicks } from './scales.js';
import { looks, Swatch } from './series-look.js';
import { bounded, renamed, renamedRows, uniqueNames } from './statistics-names.js';
import {
  errorCodes,
  readStatistics,
  type Series,
  type StatisticsTable,
  seriesByKey,
  seriesByKind,
  type Totals,
  totalsOf,
  withoutKeys,
} from './statistics-table.js';
import { boundsOf, type TimeRange, timeRanges } from './time-ranges.js';
import { UsageTable } from './usage-table.js';
import { useLoaded } from './use-loaded.js';
import './view.css';
import './statistics.css';

type By = 'backend' | 'channel';

/** Turns, their time, tokens, cost and errors over time. */
export function StatisticsView() {
  const [rangeName, setRangeName] = useState('7 d');
  const [by, setBy] = useState<By>('backend');
  const range = timeRanges.find(({ name }) => name === rangeName) ?? (timeRanges[0] as TimeRange);
  const { value, failure, loading, reload } = useLoaded(
    `${by} ${range.name}`,
    async (signal) => {
      const bounds = boundsOf(range, new Date());
      const [statistics, usage, models, titles] = await Promise.all([
        api.statistics({ by, ...bounds, stepSeconds: range.stepSeconds }, signal),
        api.usage(by, bounds.since, bounds.until, signal),
        api.usage('model', bounds.since, bounds.until, signal),
        by === 'channel' ? channelTitles(signal) : new Map<string, string>(),
      ]);
      const table = bounded(readStatistics(statistics), mostKeys);
      const names = uniqueNames(
        [...table.rows, ...usage.rows].map(({ key }) => key),
        titles,
      );
      return { table: renamed(table, names), usage: { rows: renamedRows(usage.rows, names) }, models };
    },
    () => refreshMs,
  );
  return (
    <section class="view statistics" aria-label="Statistics">
      <header class="view-header">
        <h1>Statistics</h1>
        <div class="statistics-choices">
          <Choice
            legend="Time range"
            options={timeRanges.map(({ name }) => [name, name] as const)}
            value={range.name}
            onChoose={setRangeName}
          />
          <Choice
            legend="Per"
            options={[
              ['backend', 'Per backend'],
              ['channel', 'Per channel'],
            ]}
            value={by}
            onChoose={setBy}
          />
        </div>
      </header>
      {failure !== undefined && <LoadFailure failure={failure} onRetry={reload} />}
      {value === undefined && loading && <p class="empty">Loading the statistics …</p>}
      {value !== undefined && value.table.rows.length === 0 && (
        <p class="empty">No turn has run in this time. Send a message, and it is counted here.</p>
      )}
      {value !== undefined && value.table.rows.length > 0 && (
        <>
          <Charts key={by} table={value.table} by={by} />
          <div class="usage-tables">
            <UsageTable
              caption={by === 'backend' ? 'Used per backend' : 'Used per channel'}
              usage={value.usage}
            />
            <UsageTable caption="Used per model" usage={value.models} />
          </div>
        </>
      )}
    </section>
  );
}

const refreshMs = 60_000;
/** More could not be told apart by their looks. */
const mostKeys = looks;

/** The titles of the conversations, also of those that were put away. One that is not among them is told by its id. */
async function channelTitles(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const limit = '500';
  const lists = await Promise.all([
    api.channels({ limit }, signal),
    api.channels({ limit, archived: 'true' }, signal),
  ]).catch(() => []);
  return new Map(lists.flatMap(({ channels }) => channels.map(({ channel, title }) => [channel, title])));
}

function Charts({ table, by }: { readonly table: StatisticsTable; readonly by: By }) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const lookOf = useMemo(() => new Map(table.rows.map(({ key }, index) => [key, index])), [table]);
  const shown = useMemo(() => withoutKeys(table, hidden), [table, hidden]);
  const totals = totalsOf(shown);
  const byKey = (series: readonly Series[]) =>
    series.map((one) => ({ ...one, look: lookOf.get(one.name) ?? 0 }));
  const byKind = (series: readonly Series[]) => series.map((one, look) => ({ ...one, look }));
  const common = { steps: table.steps, stepMs: table.stepMs };
  return (
    <>
      {table.rows.length > 1 && (
        <fieldset class="shown-keys">
          <legend>{by === 'backend' ? 'Backends' : 'Channels'}</legend>
          {table.rows.map(({ key }) => (
            <label key={key}>
              <input
                type="checkbox"
                checked={!hidden.has(key)}
                onChange={() => setHidden((before) => toggled(before, key))}
              />
              <Swatch kind="bars" look={lookOf.get(key) ?? 0} id={`shown-${lookOf.get(key)}`} />
              <bdi>{key}</bdi>
            </label>
          ))}
        </fieldset>
      )}
      <TotalsList totals={totals} />
      <h2 class="hidden-visually">Over time</h2>
      <div class="charts">
        <Chart
          {...common}
          title="Turns"
          kind="bars"
          series={byKey(seriesByKey(shown, ({ turns }) => turns))}
          print={shortNumber}
          ticksUpTo={wholeTicks}
          empty="No turns."
        />
        <Chart
          {...common}
          title="Cost"
          kind="bars"
          series={byKey(seriesByKey(shown, ({ costUsd }) => costUsd))}
          print={dollars}
          ticksUpTo={numberTicks}
          empty="No cost was reported. Not every CLI tells it."
        />
        <Chart
          {...common}
          title="Median time of a turn"
          kind="lines"
          series={byKey(seriesByKey(shown, ({ medianMs }) => medianMs))}
          print={duration}
          ticksUpTo={durationTicks}
          empty="No turn has ended."
        />
        <Chart
          {...common}
          title="Slowest turn"
          kind="lines"
          series={byKey(seriesByKey(shown, ({ slowestMs }) => slowestMs))}
          print={duration}
          ticksUpTo={durationTicks}
          empty="No turn has ended."
        />
        <Chart
          {...common}
          title="Tokens"
          kind="bars"
          series={byKind(
            seriesByKind(shown, [
              ['input, cached', ({ cachedInputTokens }) => cachedInputTokens],
              ['input', ({ inputTokens, cachedInputTokens }) => inputTokens - cachedInputTokens],
              ['output', ({ outputTokens }) => outputTokens],
            ]),
          )}
          print={shortNumber}
          ticksUpTo={wholeTicks}
          empty="No tokens were reported."
        />
        <Chart
          {...common}
          title="Errors"
          kind="bars"
          series={byKind(
            seriesByKind(
              shown,
              errorCodes(shown).map(
                (code) =>
                  [plainCode(code), ({ errors }) => (errors as Record<string, number>)[code] ?? 0] as const,
              ),
            ),
          )}
          print={shortNumber}
          ticksUpTo={wholeTicks}
          empty="No turn has failed."
        />
      </div>
    </>
  );
}

function TotalsList({ totals }: { readonly totals: Totals }) {
  const share = totals.turns === 0 ? 0 : Math.round((100 * totals.answered) / totals.turns);
  const cached =
    totals.inputTokens === 0 ? 0 : Math.round((100 * totals.cachedInputTokens) / totals.inputTokens);
  const entries = [
    ['Turns', shortNumber(totals.turns), `${share} % answered`],
    ['Median time', duration(totals.medianMs), `slowest ${duration(totals.slowestMs)}`],
    ['Input tokens', shortNumber(totals.inputTokens), `${cached} % cached`],
    ['Output tokens', shortNumber(totals.outputTokens), ''],
    [
      'Cost',
      totals.costUsd === 0 ? '–' : dollars(totals.costUsd),
      totals.costUsd === 0 ? 'none reported' : `${dollars(totals.costUsd / totals.turns)} a turn`,
    ],
    ['Failed', shortNumber(totals.failed), `${shortNumber(totals.cancelled)} cancelled`],
  ] as const;
  return (
    <dl class="totals">
      {entries.map(([name, value, note]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span class="total-value">{value}</span>
            <span class="total-note">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function wholeTicks(max: number): readonly number[] {
  return numberTicks(max, { whole: true });
}

function toggled(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}
