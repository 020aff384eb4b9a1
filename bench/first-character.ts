import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { startDemo } from '../scripts/start-demo.js';
import { withDirectory } from './load.js';
import { openPage } from './page-browser.js';
import { type Comparison, median, milliseconds } from './report.js';
import { shuffled, warmUp } from './turns.js';

const rounds = 25;
/** What somebody does not notice between a click and its effect. */
const unnoticedMs = 100;

const product = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const agent = fileURLToPath(new URL('../dist/demo-agent/main.js', import.meta.url));
const bareChat = fileURLToPath(new URL('./programs/bare-chat.mjs', import.meta.url));

const modes = {
  'one-shot': { PERMISSION_MODE: 'bypass', BACKEND_LIVE: '0' },
  live: { PERMISSION_MODE: 'bypass', BACKEND_LIVE: '1' },
} as const;

/**
 * From the click on Send to the first character of the answer in the page, with the demo agent: the whole gateway, which
 * puts the message on disk first, against a bare hono server that forwards the same agent's output.
 */
export async function measureFirstCharacter(browser: Browser): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const mode of ['one-shot', 'live'] as const) comparisons.push(await compare(browser, mode));
  return comparisons;
}

function compare(browser: Browser, mode: keyof typeof modes): Promise<Comparison> {
  return withDirectory(async (home) => {
    const env = { HOME: home, TURNOUT_DEMO_SPEED: '0', HTTP_MAX_REQUESTS_PER_MINUTE: '0', ...modes[mode] };
    const node = process.execPath;
    const servers = [
      await startDemo([node, product, 'demo', '--no-open', '--port', '0'], { env }),
      await startDemo([node, bareChat, mode, agent], { env }),
    ] as const;
    try {
      const [ours, bare] = [await contend(browser, servers[0].url), await contend(browser, servers[1].url)];
      await beginConversation(ours.page);
      for (let round = 0; round < warmUp + rounds; round++) {
        for (const { page, times } of shuffled([ours, bare])) {
          const took = await timeOf(page, round);
          if (round >= warmUp) times.push(took);
        }
      }
      const [mine, floor] = [median(ours.times), median(bare.times)];
      return {
        name: `message to the first character in the browser, ${mode}`,
        ours: milliseconds(mine),
        other: `a bare hono server and child process ${milliseconds(floor)}`,
        ratio: mine / floor,
        goal: `at most ${unnoticedMs} ms more`,
        met: mine - floor <= unnoticedMs,
      };
    } finally {
      for (const context of browser.contexts()) await context.close();
      for (const server of servers) await server.stop();
    }
  });
}

async function contend(browser: Browser, url: string) {
  return { page: await openPage(browser, url), times: [] as number[] };
}

async function beginConversation(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByText('A new conversation').waitFor();
}

/** The page's own clock, from the click to the change in the page: what the automation takes is not in it. */
async function timeOf(page: Page, round: number): Promise<number> {
  // A character of each round's own, so that an earlier answer is none.
  const character = String.fromCodePoint(0x4e00 + round);
  await page.getByRole('textbox', { name: 'Message' }).fill(`say exactly: ${character} is the answer`);
  await page.evaluate(`measure.fromClickTo(${JSON.stringify(character)})`);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const took = await page.evaluate<number>('measure.took');
  // The turn's end must not slow down the other contender.
  await page.waitForTimeout(150);
  return took;
}
