import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningDemo, root, startDemo } from '../scripts/start-demo.js';
import { withDirectory } from './load.js';
import { type Comparison, median, milliseconds } from './report.js';

const rounds = 9;
const bareServer = fileURLToPath(new URL('./programs/bare-server.mjs', import.meta.url));

/** From `npm run demo` on an installed clone to a served page, against a bare http server that `npm run` starts too. */
export async function measurePageStart(): Promise<readonly Comparison[]> {
  const ours: number[] = [];
  const floor: number[] = [];
  await withDirectory(async (bare) => {
    writeFileSync(
      join(bare, 'package.json'),
      JSON.stringify({ scripts: { demo: `exec node ${JSON.stringify(bareServer)}` } }),
    );
    // Without the clone's settings npm would look for a newer npm, and only there.
    copyFileSync(join(root, '.npmrc'), join(bare, '.npmrc'));
    for (let i = 0; i < rounds; i++) {
      floor.push(await timeToPage(bare));
      ours.push(await timeToPage(root));
    }
  });
  const ratio = median(ours) / median(floor);
  return [
    {
      name: '`npm run demo` on an installed clone, to the page and its script',
      ours: milliseconds(median(ours)),
      other: `a bare http server, started by npm, ${milliseconds(median(floor))}`,
      ratio,
      goal: 'at most 3',
      met: ratio <= 3,
    },
  ];
}

/** In a home of its own: the first start is the one that somebody waits for. */
function timeToPage(directory: string): Promise<number> {
  return withDirectory(async (home) => {
    const start = performance.now();
    const demo = await startDemo(['npm', 'run', '--silent', 'demo', '--', '--no-open', '--port', '0'], {
      cwd: directory,
      env: { HOME: home },
    });
    try {
      await readPage(demo);
      return performance.now() - start;
    } finally {
      await demo.stop();
    }
  });
}

async function readPage({ url }: RunningDemo): Promise<void> {
  const page = await read(url);
  const script = /<script[^>]* src="([^"]+)"/.exec(page)?.[1];
  if (script === undefined) throw new Error(`The page at ${url} has no script:\n${page}`);
  await read(new URL(script, url).href);
}

async function read(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered with ${response.status}.`);
  return response.text();
}
