import { describe, expect, it } from 'vitest';
import { table, writeSection } from '../fault-page.js';
import {
  type DeathPoint,
  inNewChannel,
  notAnswered,
  untilAnswered,
  untilSent,
  withProgress,
} from './death-points.js';
import { runDeaths } from './run-deaths.js';

describe.runIf(process.platform === 'linux')('a gateway on Discord that is killed', () => {
  it('at any step loses no question, and says nothing twice (17.6)', async () => {
    const runs = [
      runDeaths([...inNewChannel, ...untilAnswered]),
      runDeaths(untilSent),
      runDeaths(untilSent, { later: true, together: true }),
      runDeaths(withProgress, { together: true }),
    ];
    // Those that go on when one has failed end their processes before the test is over.
    await Promise.allSettled(runs);
    const [answered = [], sent = [], sentLater = [], progress = []] = await Promise.all(runs);
    const rows = [
      ...rowsOf([...inNewChannel, ...untilAnswered], answered),
      ...rowsOf(untilSent, sent, sentLater),
      ...rowsOf(withProgress, progress),
    ];
    for (const { point, outcomes } of rows)
      for (const outcome of outcomes) expect(outcome, point.when).toBe(point.expected ?? 'once');
    const cells = rows.map(({ point, outcomes: [soon, afterwards = '–'] }) => [
      point.when,
      soon === notAnswered ? `${soon} (see below)` : (soon ?? ''),
      afterwards,
    ]);
    writeSection('The gateway is killed', `${introduction}\n${table(columns, cells)}\n\n${legend}`);
  });
});

interface Row {
  readonly point: DeathPoint;
  readonly outcomes: readonly string[];
}

function rowsOf(points: readonly DeathPoint[], ...runs: readonly (readonly string[])[]): readonly Row[] {
  return points.map((point, index) => ({ point, outcomes: runs.map((run) => run[index] ?? 'missing') }));
}

const columns = ['killed when', 'started again at once', 'ten minutes later'];

const introduction = `A whole gateway in a process of its own, with agents that answer in two messages. Somebody asks a question with a file; \`kill -9\`
ends the gateway at the given step; the next question comes while it is dead; it is started again. Both questions must be answered
once and in order, and no progress message may stay.
`;

const legend = `- _At once_, each row is a life of the gateway, which kills itself right before the next step or is killed while a request is on its
  way, and the conversation goes on with the next row. _Ten minutes later_ and with progress messages, the rows are one life: in a
  channel of its own each, the next step is never made, and the kill comes when all have got there.
- After ten minutes Discord has forgotten the nonces, and what was sent is looked up in the channel's history.
- In a channel in which the bot was never asked anything, nothing is answered that was written before it is remembered on disk, so
  that a new bot does not answer old messages. The channel is remembered with the first thing that is written.
- \`docs/kill-points.md\` has the same for all that happens between question and answer, such as tools and permissions.
`;
