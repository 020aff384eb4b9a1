import type { UsageRow } from '../core/usage-row.js';
import type { StoreCounts, TurnStatistics } from './rows.js';

/** Numbers over many turns. */
export interface ReportStore {
  usage(query: UsageQuery): Promise<readonly UsageRow[]>;
  /** The turns of agents that ended in [since, until), by backend or channel. */
  statistics(query: StatisticsSlice): Promise<readonly TurnStatistics[]>;
  /** The number of such turns of each backend or channel. */
  countTurns(query: StatisticsSlice): Promise<readonly { readonly key: string; readonly turns: number }[]>;
  /** The end of the turn behind the first `count` that ended at `since` or later; undefined if there are no more. */
  endOfTurn(since: number, count: number): Promise<number | undefined>;
  /** The models of the newest 2,000 turns, the last used one first. */
  modelsUsed(): Promise<readonly { readonly backend: string; readonly model: string }[]>;
  counts(): Promise<StoreCounts>;
}

export interface UsageQuery {
  readonly channel?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly by: 'day' | 'backend' | 'channel' | 'model';
}

export interface StatisticsSlice {
  readonly by: 'backend' | 'channel';
  readonly since: number;
  readonly until: number;
  /** Only these backends or channels. */
  readonly only?: readonly string[] | undefined;
}
