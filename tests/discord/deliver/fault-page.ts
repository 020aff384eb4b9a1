import { faults, steps } from './crash-runs.js';

/** Writes docs/discord-faults.md. `cell` is the outcome of a fault with a crash before a step. */
export function faultPage(cell: (fault: string, step: number) => string): string {
  const names = Object.keys(faults);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = steps.map((step, index) => line([step, ...names.map((fault) => cell(fault, index))]));
  const head = [line(['the gateway dies before it can', ...names]), line(['---', ...names.map(() => '---')])];
  return `${introduction}\n${[...head, ...rows].join('\n')}\n\n${legend}`;
}

const introduction = `# Answers in Discord: faults and crashes

Written by \`npm run test:kill\` (\`tests/discord/deliver/crashes.kill.ts\`; \`npm test\` has a part of it). 
An answer of two pieces, and another one behind it, are sent with the HTTP client of discord.js to a Discord of our
own. A fault meets the sending, and the gateway ends between two steps of the delivery; the next one goes on with what is on disk.
Each cell has two runs: the next gateway starts at once, and ten minutes later, when Discord has forgotten the nonces.
`;

const legend = `- \`once / once\`: every piece of both answers is to be seen exactly once, in order, in both runs.
- _before_, _after commit_: whether Discord had stored the message when the answer to it was lost. The client's own tries are used
  up, so that the delivery hears of it and is tried again.
- _413 with a file_: the second piece has a file that Discord refuses. Its text goes without it.
- _history 500_: the look into the channel's history fails, too.
`;
