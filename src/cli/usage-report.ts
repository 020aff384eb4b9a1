import { cost, count } from '../core/format.js';
import { oneLine } from '../core/quote.js';
import { addUsage, type UsageRow } from '../core/usage-row.js';
import type { ArchiveReader, UsageQuery } from '../gateway/archive/open-archive.js';
import {
  type ArchiveOptions,
  notHere,
  parseArchiveArguments,
  runArchiveCommand,
  timeOption,
  wrong,
} from './archive-command.js';
import { table } from './table.js';
import type { Terminal } from './terminal.js';

export const usageText = `Usage: turnout usage [options]

How many turns there were, the tokens they took, and what they cost where the agent CLI says so.

  --by <what>       day (default), backend, channel or model
  --since <time>    only turns that ended since a day (2026-01-31) or a time (2026-01-31T14:00), UTC
  --until <time>    only turns that ended before a time, or on a day at the latest
  --channel <id>    only the turns of a channel
  --json            one JSON object
  --home <dir>      the gateway's data directory (TURNOUT_HOME, default ~/.turnout)

Exit codes: 0 done · 1 no such channel, or no data · 2 wrong usage
`;

/** `turnout usage`: prints tokens and cost. */
export function main(argv: readonly string[]): Promise<number> {
  return runArchiveCommand({ name: 'usage', usageText, parse, run }, argv);
}

interface UsageOptions extends ArchiveOptions {
  readonly query: UsageQuery;
  readonly json: boolean;
}

const groupings = ['day', 'backend', 'channel', 'model'] as const;

function parse(argv: readonly string[]): UsageOptions | 'help' {
  const { values, positionals } = parseArchiveArguments('usage', argv, {
    by: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    channel: { type: 'string' },
  });
  if (values.help) return 'help';
  if (positionals.length > 0) {
    throw wrong('usage', `no argument is expected, got ${JSON.stringify(positionals[0])}`);
  }
  const by = groupings.find((known) => known === (values.by ?? 'day'));
  if (by === undefined) {
    throw wrong('usage', `--by expects one of ${groupings.join(', ')}, got ${JSON.stringify(values.by)}`);
  }
  const since = timeOption('usage', '--since', values.since);
  const until = timeOption('usage', '--until', values.until, 'end');
  if (since !== undefined && until !== undefined && until <= since) {
    throw wrong('usage', '--until is before --since');
  }
  return {
    query: { by, since, until, channel: values.channel },
    json: values.json ?? false,
    home: values.home,
  };
}

async function run(archive: ArchiveReader, { query, json }: UsageOptions, terminal: Terminal): Promise<void> {
  const { channel } = query;
  if (channel !== undefined && !(await archive.channels()).some((known) => known.channel === channel)) {
    throw notHere(`There is no channel ${JSON.stringify(channel)}.`, '`turnout history` lists the channels.');
  }
  const rows = await archive.usage(query);
  const total = rows.reduce(addUsage, nothing);
  if (json) {
    const report = { by: query.by, rows: rows.map(withKnownCost), total: withKnownCost(total) };
    await terminal.write(`${JSON.stringify(report, null, 2)}\n`);
  } else if (rows.length === 0) await terminal.write('No turns.\n');
  else await terminal.write(usageTable(query.by, rows, total));
}

const nothing: UsageRow = {
  key: 'total',
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  costUsd: 0,
};

/** Leaves out a cost of 0: it means unknown, not free, because not every CLI reports a cost. */
function withKnownCost({ costUsd, ...row }: UsageRow) {
  return costUsd > 0 ? { ...row, costUsd } : row;
}

function usageTable(by: string, rows: readonly UsageRow[], total: UsageRow): string {
  const header = [by.toUpperCase(), 'TURNS', 'TOKENS IN', 'CACHED', 'TOKENS OUT', 'COST'];
  const cells = [...rows, total].map((row) => [
    row.key === '' ? '(unknown)' : oneLine(row.key),
    count(row.turns),
    count(row.inputTokens),
    count(row.cachedInputTokens),
    count(row.outputTokens),
    row.costUsd > 0 ? cost(row.costUsd) : '-',
  ]);
  return table([header, ...cells], ['left', 'right', 'right', 'right', 'right', 'right']);
}
