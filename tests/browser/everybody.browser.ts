import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addressOf, answers, open, say, setUpPage, token, useBrowser } from './stage.js';

useBrowser();

/** What axe-core finds that is serious or worse, in light and dark. */
async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
    for (const { id, impact, nodes } of violations)
      if (impact === 'serious' || impact === 'critical')
        found.push(`${colorScheme}: ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }
  return found;
}

const rich = `say exactly: # A title

Some \`code\`, a [link](https://example.com/), and a list:

- [x] one
- [ ] two

\`\`\`ts
const a = 1;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> said`;

describe('the page for everybody (16.4)', () => {
  it('has no serious finding of axe-core, signed out, talking, asking, with changes', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client, ''));
    await page.getByLabel('Token').waitFor();
    expect(await findings(page)).toEqual([]);
    // Only the fragment is another one: the page signs in by itself.
    await page.goto(addressOf(client));
    await say(page, rich);
    await answers(page).getByText('A title').waitFor();
    await say(page, 'write a note: buy milk');
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await answers(page).last().locator('details').last().locator('summary').click();
    expect(await findings(page)).toEqual([]);
    for (const view of ['#/statistics', '#/chains']) {
      await page.goto(addressOf(client, view));
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await findings(page)).toEqual([]);
    }
  });
});

describe('a phone (16.4)', () => {
  it('shows everything in 360 pixels, with the list in a drawer', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client), {
      viewport: { width: 360, height: 740 },
      isMobile: true,
      hasTouch: true,
    });
    await say(page, rich);
    await answers(page).getByText('A title').waitFor();
    await say(
      page,
      'write a note: a very long note about everything that is to be bought in the shop at the corner',
    );
    await page.getByRole('button', { name: 'Allow', exact: true }).tap();
    await expect.poll(() => answers(page).last().innerText()).toContain('Allowed');
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    for (const element of await page.locator('header button, header a, .composer button').all()) {
      const box = await element.boundingBox();
      if (box !== null) expect(box.x + box.width).toBeLessThanOrEqual(360);
    }
    expect(await page.getByRole('button', { name: 'New conversation' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Open the list' }).tap();
    await page.getByRole('button', { name: 'New conversation' }).tap();
    await page.getByText('A new conversation').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).waitFor({ state: 'hidden' });
  });
});

describe('the keyboard alone (16.4)', () => {
  it('signs in, says something, allows, finds the list and comes back', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client, ''));
    await page.getByLabel('Token').waitFor();
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('message');
    await page.keyboard.type('write a note: one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('and two');
    await page.keyboard.press('Enter');
    const allow = page.getByRole('button', { name: 'Allow', exact: true });
    await allow.waitFor();
    for (
      let tabs = 0;
      tabs < 20 && !(await allow.evaluate((button) => button === document.activeElement));
      tabs += 1
    ) {
      await page.keyboard.press('Shift+Tab');
    }
    await page.keyboard.press('Enter');
    await expect.poll(() => answers(page).first().innerText()).toContain('Allowed');
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
    await page.getByRole('link', { name: /write a note/ }).focus();
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('');
  });
});

describe('what waits for somebody (16.4)', () => {
  it('is told in the title and the icon, and by a notification when the page is hidden', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client), { permissions: ['notifications'] });
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.evaluate(() => {
      const shown: string[] = [];
      Object.assign(globalThis, { shown });
      Object.defineProperty(globalThis, 'Notification', {
        value: class {
          constructor(title: string, { body }: { readonly body: string }) {
            shown.push(`${title}: ${body}`);
          }
        },
      });
      Object.defineProperty(document, 'hidden', { value: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    const shown = () => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
    await say(page, 'write a note: buy milk');
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toContain('waiting');
    await expect
      .poll(shown)
      .toContain('An agent needs your answer: write a note: buy milk: Write demo-note.txt');
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await expect.poll(() => page.title()).not.toMatch(/^\(1\) /);
    await expect
      .poll(shown)
      .toContainEqual(expect.stringMatching(/^Answer from claude: write a note: buy milk: /));

    // In a view without a conversation, of one that nobody has opened here.
    await page.evaluate(() => {
      location.hash = '#/statistics';
    });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await client.post('elsewhere', 'write a note: bread');
    await expect.poll(shown).toContain('An agent needs your answer: write a note: bread');
  });
});
