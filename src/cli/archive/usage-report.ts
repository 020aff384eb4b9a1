import { cost, count } from '../../core/format.js';
import { oneLine } from '../../core/text.js';
import { addUsage, type UsageRow } from '../../core/usage-row.js';
import type { ArchiveReader, UsageQuery } from '../../gateway/archive/open-archive.js';
import type { CommandPage } from '../command/command-page.js';
import { oneOf } from '../command/flag-values.js';
import { wantsJson } from '../command/json-flags.js';
import { table } from '../output/table.js';
import type { Terminal } from '../output/terminal.js';
import {
  type ArchiveOptions,
  archiveFlags,
  notHere,
  readArchiveFlags,
  runArchiveCommand,
  timeOption,
  wrong,
} from './archive-command.js';

const groupings = ['day', 'backend', 'channel', 'model'] as const;

export const page = {
  usage: ['usage [options]'],
  about: 'How many turns there were, the tokens they took, and what they cost where the agent CLI says so.',
  flags: {
    by: {
      type: 'text',
      value: 'what',
      about: 'day (default), backend, channel or model',
      complete: groupings,
    },
    since: {
      type: 'text',
      value: 'time',
      about: 'only turns that ended since a day (2026-01-31) or a time (2026-01-31T14:00), UTC',
    },
    until: {
      type: 'text',
      value: 'time',
      about: 'only turns that ended before a time, or on a day at the latest',
    },
    channel: {
      type: 'text',
      value: 'id',
      about: 'only the turns of a channel',
      complete: 'channels',
    },
    ...archiveFlags,
  },
  examples: [
    ['usage', 'day by day'],
    ['usage --by backend --since 2026-01-01'],
    ['usage --channel main --json'],
  ],
  exitCodes: '0 done · 1 no such channel, or no data · 2 wrong usage',
} as const satisfies CommandPage;

/** `turnout usage`: prints tokens and cost. */
export function main(argv: readonly string[]): Promise<number> {
  return runArchiveCommand({ name: 'usage', page, parse, run }, argv);
}

interface UsageOptions extends ArchiveOptions {
  readonly query: UsageQuery;
  readonly json: boolean;
}

function parse(argv: readonly string[]): UsageOptions | 'help' {
  return readArchiveFlags('usage', argv, page.flags, (given) => {
    const { positionals } = given;
    if (positionals.length > 0) {
      throw wrong('usage', `no argument is expected, got ${JSON.stringify(positionals[0])}`);
    }
    const by = oneOf('--by', given.text('by'), groupings) ?? 'day';
    const since = timeOption('usage', '--since', given.text('since'));
    const until = timeOption('usage', '--until', given.text('until'), 'end');
    if (since !== undefined && until !== undefined && until <= since) {
      throw wrong('usage', '--until is before --since');
    }
    return {
      query: { by, since, until, channel: given.text('channel') },
      json: wantsJson(given),
      home: given.text('home'),
      demo: given.has('demo'),
    };
  });
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
