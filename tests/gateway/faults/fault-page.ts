import { taggedFaults } from '../../../scripts/specification/tagged-faults.js';
import type { Fault } from './faults.js';
import type { FaultOutcome } from './run-fault.js';

export interface FaultResult {
  readonly fault: Fault;
  readonly outcome: FaultOutcome;
}

/** Writes `docs/faults.md`. The same outcome gives the same content: no times, no random numbers. */
export function faultPage(results: readonly FaultResult[]): string {
  const columns = [
    'fault',
    'what happens',
    'messages',
    'answered once',
    'lost',
    'answered twice',
    'out of order',
    'tools run again unasked',
    'channels blocked',
    'processes and files left',
    '`/readyz` not true',
  ];
  const rows = results.map(({ fault, outcome }) => [
    fault.name,
    fault.means,
    outcome.messages,
    outcome.answeredOnce,
    outcome.lost.length,
    outcome.doubled.length,
    outcome.outOfOrder.length,
    outcome.replayedTools.length,
    outcome.blocked.length,
    outcome.processesLeft.length + outcome.filesLeft.length,
    outcome.untrueReadiness.length,
  ]);
  return `${introduction}\n${table(columns, rows)}\n\n${legend}\n${taggedFaults()}`;
}

function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [columns, columns.map(() => '---'), ...rows].map(line).join('\n');
}

const introduction = `# Faults

Written by \`npm run test:kill\`: each fault happens to a gateway that works on messages in eight channels, every one of them
from a client that sends a request without an answer again, with the same \`Idempotency-Key\`. Disk errors and wrong clocks
come from a C library in front of the real one, a full disk is a small file system, and the agents are real processes. What
came of it is read from outside, over HTTP, and from a log that the agents keep of what they really did.
[Kill points](kill-points.md) has the same for \`kill -9\` at every step.
`;

const legend = `- _answered once_: exactly one answer in the conversation. A turn whose tool had begun when the gateway was killed is told
  and retried by its sender, as the notice offers.
- _channels blocked_: hostile messages that came to no end. They end as failed, by name; everybody else's are answered.
- _processes and files left_: alive, or in \`tmp/\` and \`turns/\`, after the gateway was stopped.
- _\`/readyz\` not true_: said ready 15 s after the store began to fail, or not ready 15 s after all was well.

\`npm run chaos\` does all of it at once, for ten minutes.
`;

function line(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}
