import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const page = fileURLToPath(new URL('../../docs/discord-faults.md', import.meta.url));

const introduction = `# Discord: faults and crashes

Written by \`npm run test:kill\`; \`npm test\` runs a part of it. discord.js talks to a Discord of our own (\`tests/discord/loopback\`),
which keeps Discord's rules strictly and fails on demand. _Once_ means: each message of each answer is to be seen exactly once, and
all of them in order, when everything is over.
`;

/** The sections of docs/discord-faults.md, each written by a test of its own. */
const headings = ['The gateway is killed', 'Faults', 'Faults and crashes of a delivery'] as const;

/** Replaces a section of the page. The same outcome gives the same page: no times, no random numbers. */
export function writeSection(heading: (typeof headings)[number], text: string): void {
  const before = readPage();
  const sections = new Map(
    before.split(/^## /m).map((section) => [section.slice(0, section.indexOf('\n')), section]),
  );
  sections.set(heading, `${heading}\n\n${text.trim()}\n`);
  const known = headings.flatMap((one) => sections.get(one) ?? []).map((section) => `## ${section.trim()}\n`);
  const after = [introduction, ...known].join('\n');
  if (after !== before) writeFileSync(page, after);
}

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function readPage(): string {
  try {
    return readFileSync(page, 'utf8');
  } catch {
    return '';
  }
}
