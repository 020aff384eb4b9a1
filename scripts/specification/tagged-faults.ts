import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const heading = '## One by one';
const tag = /\[fault \d+\.(\d+): ([^\]$]+)\]/g;
const tests = fileURLToPath(new URL('../../tests', import.meta.url));

/** The page with its list of faults made anew. */
export function withTaggedFaults(page: string): string {
  const [measured = ''] = page.split(heading);
  return `${measured}${taggedFaults()}`;
}

/** The faults that tests name in their titles, `[fault <issue>.<point>: <name>]`, with the files of these tests. */
export function taggedFaults(): string {
  const faults = new Map<string, { readonly point: number; readonly files: Set<string> }>();
  for (const file of readdirSync(tests, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.ts')) continue;
    for (const [, point = '', name = ''] of readFileSync(join(tests, file), 'utf8').matchAll(tag)) {
      const fault = faults.get(name) ?? { point: Number(point), files: new Set() };
      faults.set(name, fault);
      fault.files.add(`\`tests/${file}\``);
    }
  }
  const inOrder = [...faults].sort(
    ([one, { point }], [other, { point: otherPoint }]) => point - otherPoint || (one < other ? -1 : 1),
  );
  const rows = inOrder.map(([name, { files }]) => `| ${name} | ${[...files].join(', ')} |`);
  return `${heading}\n\nFaults that have a test of their own.\n\n| fault | test |\n| --- | --- |\n${rows.join('\n')}\n`;
}
