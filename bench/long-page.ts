import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, ElementHandle, Page } from 'playwright-core';
import { root, startDemo } from '../scripts/start-demo.js';
import { withDirectory } from './load.js';
import { openPage } from './page-browser.js';
import { openSqliteStore } from './product.js';
import { type Comparison, milliseconds } from './report.js';
import { shuffled } from './turns.js';

const count = 2000;
const rounds = 7;
/** Somebody sees a frame that takes longer. */
const limitMs = 50;

/** What somebody does with a conversation: where the focus is, and what follows. */
const deeds: Readonly<Record<string, readonly ['view' | 'field', (page: Page) => Promise<void>]>> = {
  'the wheel': [
    'view',
    async (page) => {
      for (let step = 0; step < 60; step += 1) {
        await page.mouse.wheel(0, step % 30 < 15 ? -900 : 900);
        await page.waitForTimeout(16);
      }
    },
  ],
  'Page Up and Page Down': [
    'view',
    async (page) => {
      for (let step = 0; step < 24; step += 1) {
        await page.keyboard.press(step % 12 < 6 ? 'PageUp' : 'PageDown');
        await page.waitForTimeout(40);
      }
    },
  ],
  'a jump to the top and to the end': [
    'view',
    async (page) => {
      for (const key of ['Home', 'End', 'Home', 'End']) {
        await page.keyboard.press(key);
        await page.waitForTimeout(400);
      }
    },
  ],
  typing: ['field', (page) => page.keyboard.type(sentence, { delay: 15 })],
};

const sentence = 'The quick brown fox jumps over the lazy dog. ';

interface Conversation {
  readonly page: Page;
  readonly view: ElementHandle;
  readonly field: ElementHandle;
}

/** A page with 2,000 messages, against the same page with none: what that takes is the machine's own. */
export function measureLongPage(browser: Browser): Promise<readonly Comparison[]> {
  return withDirectory(async (home) => {
    await fill(join(home, '.turnout/demo'));
    const demo = await startDemo(
      [process.execPath, join(root, 'dist/cli/main.js'), 'demo', '--no-open', '--port', '0'],
      {
        env: { HOME: home, HTTP_MAX_REQUESTS_PER_MINUTE: '0' },
      },
    );
    try {
      const long = await open(browser, demo.url, 'long');
      const empty = await open(browser, demo.url, 'empty');
      await loadAll(long);
      const comparisons: Comparison[] = [];
      for (const [name, act] of Object.entries(deeds))
        comparisons.push(await compare(name, act, { long, empty }));
      return comparisons;
    } finally {
      for (const context of browser.contexts()) await context.close();
      await demo.stop();
    }
  });
}

async function compare(
  name: string,
  deed: (typeof deeds)[string],
  pages: { readonly long: Conversation; readonly empty: Conversation },
): Promise<Comparison> {
  const times = { long: [] as number[], empty: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const which of shuffled(['long', 'empty'] as const))
      times[which].push(await longestFrame(pages[which], deed));
  }
  // The same is done in each round, and whatever else runs on the machine only makes it slower: the quietest round counts.
  const [ours, noise] = [Math.min(...times.long), Math.min(...times.empty)];
  return {
    name: `a page with ${count} messages, ${name}: the longest frame`,
    ours: milliseconds(ours),
    other: `an empty page ${milliseconds(noise)}`,
    ratio: ours / noise,
    goal: `at most ${limitMs} ms`,
    // A machine that can't draw an empty page in time says nothing about a full one.
    met: ours <= Math.max(limitMs, noise),
  };
}

/** The longest time between two frames, or that the browser says one took, in ms. */
async function longestFrame(conversation: Conversation, [at, act]: (typeof deeds)[string]): Promise<number> {
  const { page } = conversation;
  await page.bringToFront();
  await conversation[at].focus();
  await page.mouse.move(800, 400);
  await page.waitForTimeout(300);
  await page.evaluate('measure.watchFrames()');
  await act(page);
  return page.evaluate<number>('measure.longestFrame()');
}

async function open(browser: Browser, url: string, channel: string): Promise<Conversation> {
  const page = await openPage(browser, url);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.goto(new URL(`/#/c/${channel}`, url).href);
  const last = channel === 'long' ? `Message ${count}` : 'A new conversation';
  await page.getByRole('heading', { name: last, exact: true }).waitFor();
  // To find an element by its name among thousands takes the page longer than a frame: it is done once, before.
  const view = await page.getByRole('region', { name: 'Conversation' }).elementHandle();
  const field = await page.getByRole('textbox', { name: 'Message' }).elementHandle();
  if (view === null || field === null) throw new Error('The page has no conversation.');
  return { page, view, field };
}

/** Scrolls up until the first message is there. */
async function loadAll({ page }: Conversation): Promise<void> {
  await page.mouse.move(800, 400);
  for (let tries = 0; (await page.locator('article').count()) < count / 2; tries += 1) {
    if (tries === 1000) throw new Error('The earlier messages do not come.');
    await page.mouse.wheel(0, -6000);
    await page.waitForTimeout(20);
  }
}

async function fill(home: string): Promise<void> {
  mkdirSync(home, { recursive: true });
  const store = await openSqliteStore(join(home, 'turnout.db'));
  for (let index = 1; index <= count; index += 1) {
    const role = index % 2 === 1 ? 'user' : 'assistant';
    const code = `\`\`\`ts\nexport const answer${index} = (question: string): number => question.length * ${index};\n\`\`\``;
    const words = 'Some **words** of an answer, and `more` of them. '.repeat(index % 40);
    const text = `## Message ${index}\n\n- one\n- two\n\n${code}\n\n${words}`;
    await store.post({ channel: 'long', role, text, backend: 'demo' }, 1_700_000_000_000 + index * 1000);
  }
  await store.close();
}
