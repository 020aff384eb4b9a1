import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addressOf, answers, open, say, setUpPage, useBrowser } from './stage.js';

useBrowser();

const phone = { hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } };

/** What of it can't be clicked, because it is out of the view or below something else. */
async function outOfReach(page: Page, names: readonly string[]): Promise<readonly string[]> {
  const out: string[] = [];
  for (const name of names) {
    const reached = await page.getByRole('button', { name, exact: true }).evaluate((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      const corners = [
        [left + 2, top + 2],
        [left + width - 2, top + height - 2],
      ] as const;
      return corners.every(([x, y]) => {
        const at = document.elementFromPoint(x, y);
        return (
          at !== null && (at === button || button.contains(at) || at.contains(button)) && y < innerHeight
        );
      });
    });
    if (!reached) out.push(name);
  }
  return out;
}

describe('the page on a small screen (16.4)', () => {
  it('keeps the message and its buttons in view while a question waits, above a keyboard and on its side too', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client), phone);
    await say(page, 'show me around');
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    for (const [width, height] of [
      [360, 740],
      [390, 664],
      [360, 420],
      [740, 360],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(100);
      const problems = await outOfReach(page, ['Stop', 'Queue', 'Send']);
      expect({ width, height, problems }).toEqual({ width, height, problems: [] });
      await page.getByRole('button', { name: 'Allow', exact: true }).scrollIntoViewIfNeeded();
      expect(await outOfReach(page, ['Allow'])).toEqual([]);
    }
  });

  it('shows a long question as high as the view, tells what is left, and leads to its end', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client), phone);
    const lines = Array.from({ length: 90 }, (_, index) => `line ${index}`).join('\n');
    await say(page, `write a note: ${lines}`);
    const card = page.getByRole('region', { name: /^Permission/ });
    await card.getByText(/^[678]\d more lines\. Read to the end to allow\.$/).waitFor();
    await card.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(async () => (await card.boundingBox())?.height).toBe(740);
    await card.getByText(/^[567]\d more lines\./).waitFor();
    await card.getByRole('button', { name: 'To the end' }).click();
    await card.getByText('more lines').waitFor({ state: 'detached' });
    await card.getByRole('button', { name: 'Smaller' }).click();
    await expect.poll(async () => (await card.boundingBox())?.height).toBeLessThan(500);
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await answers(page).last().getByText('Allowed').first().waitFor();
  });

  it('says over the changes that somebody is waited for, and leads to the question', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client), phone);
    await say(page, 'write a note: buy milk');
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Changes' }).click();
    await page.getByText('The agent waits for you.').waitFor();
    expect(await page.getByText('The last turn left no changes').count()).toBe(0);
    await page.getByRole('link', { name: 'To the question' }).click();
    const card = page.getByRole('region', { name: /^Permission/ });
    await expect.poll(() => card.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Changes' }).click();
    await page.getByRole('heading', { name: 'Changes' }).waitFor();
    expect(await page.getByText('waits for you').count()).toBe(0);
  });
});
