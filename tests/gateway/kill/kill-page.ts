import type { Outcome } from './run-scenario.js';
import type { KillPoint } from './scenarios.js';

export interface Result {
  readonly killPoint: KillPoint;
  readonly outcome: Outcome;
}

/** Writes `docs/kill-points.md`. The same outcome gives the same content: no times, no random numbers. */
export function killPage(results: readonly Result[]): string {
  const columns = [
    'journal point',
    'the gateway dies when',
    'load',
    'killed at its passing',
    'messages',
    'answered once',
    'told, then retried',
    'lost',
    'answered twice',
    'out of order',
    'turns side by side',
    'tools run again unasked',
    'processes left',
  ];
  const rows = results.map(({ killPoint, outcome }) => [
    killPoint.point === 'any' ? 'any moment' : `\`${killPoint.point}\``,
    killPoint.means,
    `${killPoint.load.channels} channels, ${killPoint.described}`,
    killPoint.deaths.map((death) => passing(killPoint, death)).join(', '),
    outcome.messages,
    outcome.answeredOnce,
    told(killPoint),
    outcome.lost.length,
    outcome.doubled.length,
    outcome.outOfOrder.length,
    outcome.overlaps.length,
    outcome.replayedTools.length,
    outcome.processesLeft.length,
  ]);
  return `${introduction}\n${[columns, columns.map(() => '---'), ...rows].map(line).join('\n')}\n\n${legend}`;
}

const introduction = `# Kill points

Written by \`npm run test:kill\`: a gateway under load is ended with \`kill -9\` at each of its journal points
(\`src/gateway/journal-points.ts\`), several times in a run, and started again on the same data each time. The agents are real
processes; the clients speak HTTP and send a request that got no answer again, with the same \`Idempotency-Key\`. What came of
it is read from outside, over HTTP, and from a log that the agents keep of what they really did.
`;

const legend = `- _killed at its passing_: counted anew in each life of the gateway, chosen by a seeded random number.
- _answered once_: exactly one answer in the conversation, and the event in exactly one final state.
- _told, then retried_: a turn whose tools had begun is not run again by itself. Its channel gets one notice, which names the
  tool, and \`/retry\` is sent as the notice offers; the message is then answered once like the others. How many are hit is a
  matter of chance, except where a kill waits for a tool.
- _turns side by side_: agents of one channel that ran at the same time, the orphans of the killed gateway included.
- \`permission_asked\` needs live sessions, and with them an agent that takes as long to start as the real ones: its load is
  smaller. There the agent keeps no log: the columns that are read from it are empty by themselves.

A live session's output is a pipe, not a file: when the gateway is killed between a tool's beginning and the note of it, the next
gateway reads the CLI's own record of the session ([gateway](gateway.md)). \`tests/real/session-records.real.ts\` shows that with
the four CLIs; the agents of this page keep no such record.
`;

function passing(killPoint: KillPoint, death: KillPoint['deaths'][number]): string {
  if (death.point === 'any') return `after ${death.afterMs} ms`;
  return death.point === killPoint.point ? `${death.passing}.` : `\`${death.point}\` ${death.passing}.`;
}

/** Describes the number of notices, as far as it is certain. */
function told({ tells, load, deaths }: KillPoint): string {
  if (tells) return `at least ${deaths.length}`;
  const withTools = Array.from({ length: 10 }, (_, index) => load.work(index)).includes('tool');
  return withTools ? 'where a tool had begun' : '–';
}

function line(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}
