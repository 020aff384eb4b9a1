import { describe, expect, it } from 'vitest';
import type { BackendAdapter } from '../../src/backends/types.js';
import { addressOf, answers, open, say, setUpPage, useBrowser } from './stage.js';
import { traceTasks } from './trace-tasks.js';

useBrowser();

const hostile = `<script>document.title = 'script'</script>

<img src=x onerror="document.title = 'image'"> and <svg onload="document.title = 'svg'">

[click](javascript:document.title='link') [again](data:text/html,<script>alert(1)</script>)

![pixel](https://tracker.example/pixel.png) <iframe src="https://tracker.example"></iframe>

<style>body { display: none }</style> <a href="javascript:document.title='raw'">raw</a>

[ref]: javascript:document.title='ref'
[ref] <javascript:document.title='auto'> \`<b>code</b>\`

| <img src=x onerror="document.title = 'cell'"> |
|---|
| [cell](JaVaScRiPt:document.title='cell') |
`;

const texts: Readonly<Record<string, () => string>> = {
  hostile: () => hostile,
  'much text': () => 'All work and no play makes Jack a dull boy. '.repeat(120_000),
  'a long line': () => 'x'.repeat(1_000_000),
  'a long word in code': () => `\`\`\`\n${'y'.repeat(1_000_000)}\n\`\`\``,
  'deep quotes': () => '>'.repeat(150_000),
  'many lists': () => Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n'),
  'a wide table': () => table(200, 1000),
  'a wider table': () => table(20_000, 5_000),
  'many tables': () => `${table(50, 39)}\n`.repeat(600),
  'many references': () => `[a]: https://x.example/${'y'.repeat(60_000)}\n\n${'[a] '.repeat(30_000)}`,
  'many paragraphs of references': () =>
    `[a]: https://x.example/${'y'.repeat(60_000)}\n\n${`${'[a]'.repeat(1000)}\n\n`.repeat(40)}`,
  'much emphasis': () => `${'*a*'.repeat(3000)}\n\n`.repeat(20),
  'wrong letters': () => '\u202e\u0000\u2066 evil \ud83d\ude00'.repeat(500),
};

/** Rows of one character, which are filled up to the columns of the header. */
function table(columns: number, rows: number): string {
  return `|${'a|'.repeat(columns)}\n|${'-|'.repeat(columns)}\n${'|\n'.repeat(rows)}`;
}

const adapter: BackendAdapter = {
  name: () => 'hostile',
  validate: async () => true,
  async execute(prompt, _systemPrompt, _sessionId, onStream) {
    const text = texts[prompt]?.() ?? `You said ${prompt}`;
    for (let at = 0; at < text.length; at += 50_000) await onStream?.(text.slice(at, at + 50_000));
    return { isError: false, responseText: text, sessionId: 's' };
  },
};

/** Of the processor's time, for one task: at most 50 are measured, on a machine that is not slow. */
const quickMs = 200;

describe('a hostile answer (16.5)', () => {
  it('runs nothing, loads nothing from elsewhere, and links nowhere dangerous', async () => {
    const client = await setUpPage({ PERMISSION_MODE: 'bypass', BACKEND_LIVE: '0' }).start({}, adapter);
    const { page, problems } = await open(addressOf(client));
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).host));
    await say(page, 'hostile');
    await answers(page).getByText('Image: pixel').waitFor();
    await page.reload();
    await answers(page).getByText('Image: pixel').waitFor();
    await answers(page).getByText('click', { exact: true }).click();
    const found = await answers(page).evaluateAll((articles) => ({
      elements: [
        ...new Set(articles.flatMap((one) => [...one.querySelectorAll('*')].map(({ tagName }) => tagName))),
      ],
      links: articles.flatMap((one) =>
        [...one.querySelectorAll('a')].map(({ href, rel, target }) => ({ href, rel, target })),
      ),
      attributes: articles.flatMap((one) =>
        [...one.querySelectorAll('*')].flatMap((element) =>
          element.getAttributeNames().filter((name) => /^on|^style$|^src/.test(name)),
        ),
      ),
    }));
    expect(found.elements.filter((name) => /SCRIPT|IMG|SVG|IFRAME|STYLE|OBJECT|EMBED/i.test(name))).toEqual(
      [],
    );
    expect(found.attributes).toEqual([]);
    expect(found.links).toEqual([
      { href: 'https://tracker.example/pixel.png', rel: 'noopener noreferrer', target: '_blank' },
    ]);
    expect(await page.title()).toMatch(/Turnout$/);
    expect(new Set(asked)).toEqual(new Set([new URL(page.url()).host]));
    expect(problems).toEqual([]);
  });

  it('leaves the page quick, whatever it consists of', async () => {
    const client = await setUpPage({ PERMISSION_MODE: 'bypass', BACKEND_LIVE: '0' }).start({}, adapter);
    const { page, problems } = await open(addressOf(client));
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    const measured = new Map<string, number>();
    for (const name of Object.keys(texts)) {
      await page.goto(addressOf(client, `#/c/${name.replaceAll(' ', '-')}`));
      await say(page, 'hello');
      await answers(page).getByText('You said hello').waitFor();
      const tasks = await traceTasks(page);
      await say(page, name);
      await expect.poll(() => answers(page).count(), { timeout: 20_000 }).toBe(2);
      await page.locator('article[aria-busy=true]').waitFor({ state: 'detached' });
      await say(page, 'still here');
      await answers(page).getByText('You said still here').waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name).toBe(true);
      measured.set(name, await tasks.longest());
    }
    // Of 0, nothing was measured.
    const slow = [...measured].filter(([, longest]) => longest === 0 || longest >= quickMs);
    expect(slow).toEqual([]);
    expect(problems).toEqual([]);
  }, 120_000);
});
