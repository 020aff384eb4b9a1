import type { UsageRow } from '../core/usage-row.js';
import type { StoreCounts, TurnStatistics } from './rows.js';
import type { TurnEndPlace } from './turn-records.js';
import type { TurnSlice } from './turn-slices.js';

/** Numbers over many turns. */
export interface ReportStore {
  usage(query: UsageQuery): Promise<readonly UsageRow[]>;
  /** The turns of agents in a slice, by backend or channel. */
  statistics(query: StatisticsSlice): Promise<readonly TurnStatistics[]>;
  /** The number of such turns of each backend or channel. */
  countTurns(query: StatisticsSlice): Promise<readonly { readonly key: string; readonly turns: number }[]>;
  /** The last of the first `count` turns that ended behind a place; undefined if there are not so many. */
  turnPlace(from: TurnEndPlace, count: number): Promise<TurnEndPlace | undefined>;
  /** The models of the newest 2,000 turns, the last used one first. */
  modelsUsed(): Promise<readonly { readonly backend: string; readonly model: string }[]>;
  counts(): Promise<StoreCounts>;
}

export interface UsageQuery {
  readonly channel?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly by: 'day' | 'backend' | 'channel' | 'model';
  /** Nobody waits for the rows any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface StatisticsSlice extends TurnSlice {
  readonly by: 'backend' | 'channel';
  /** Only these backends or channels. */
  readonly only?: readonly string[] | undefined;
}
