import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addressOf, answers, open, say, setUpPage, token, useBrowser } from './stage.js';

useBrowser();

describe('the page, from the first start on (16)', () => {
  it('leads from the printed address to an answer, and keeps the token nowhere (16.4, 16.5)', async () => {
    const client = await setUpPage().start();
    const { page, problems } = await open(addressOf(client));
    await say(page, 'say exactly: **Hello** there');
    await answers(page).getByText('Hello there').waitFor();
    expect(await answers(page).getByText('Hello there').innerHTML()).toContain('<strong>Hello</strong>');
    expect(await answers(page).first().getAttribute('aria-label')).toBe('Answer from claude');
    await page.getByText(/^Context: \d+ of 200k tokens \(\d+ %\)$/).waitFor();
    expect(page.url()).not.toContain(token);
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, document.cookie]),
    );
    expect(kept).not.toContain(token);
    await page.goBack().catch(() => undefined);
    expect(page.url()).not.toContain(token);
    expect(problems).toEqual([]);
  });

  it('asks for the token without a session, says so if it is wrong, and loses nothing when a session ends (16.5)', async () => {
    const stage = setUpPage();
    const client = await stage.start();
    const { page } = await open(addressOf(client, ''));
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('not the token').waitFor();
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
    await page.context().clearCookies();
    // The page may have noticed already: then the form lies over it.
    await page.evaluate(() => document.querySelector<HTMLFormElement>('.composer')?.requestSubmit());
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Conversation' }).getByText('half a thought').first().waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('another');
    await page.reload();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('another');
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [page, second]) await tab.getByLabel('Token').waitFor();
    expect(await page.getByText('half a thought').count()).toBe(0);
    expect(await page.context().cookies()).toEqual([]);
  });

  it('signs in with the printed address in the open page, begins with the message, and says what is no conversation (16.4, 16.5)', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client, '#/c/home'));
    await page.getByLabel('Token', { exact: true }).waitFor();
    await page.evaluate((address) => location.assign(address), addressOf(client, '#token=an-old-one'));
    await page.getByRole('alert').getByText('The token in that address').waitFor();
    expect(page.url()).not.toContain('an-old-one');
    await page.evaluate((address) => location.assign(address), addressOf(client));
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await expect.poll(focused).toBe('message');
    expect(page.url()).toMatch(/#\/c\/home$/);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await expect.poll(() => page.url()).toMatch(/#\/c\/chat-/);
    await expect.poll(focused).toBe('message');
    // However long the list is, what is above and below it stays in view.
    await page.evaluate(() => {
      const rows = Array.from({ length: 200 }, () => document.createElement('li'));
      for (const row of rows) row.textContent = 'a conversation';
      document.querySelector('.channels')?.append(...rows);
    });
    const bottom = await page.getByRole('button', { name: 'Sign out' }).boundingBox();
    expect(bottom?.y).toBeLessThan(860);
    await page.locator('.channels li').last().scrollIntoViewIfNeeded();
    const top = await page.getByRole('button', { name: 'New conversation' }).boundingBox();
    expect(top?.y).toBeGreaterThan(0);
    await page.goto(addressOf(client, '#/c/nope%20x'));
    await page.getByRole('alert').getByText('nope x').waitFor();
  });

  it('shows text while it grows (16.4)', async () => {
    const client = await setUpPage({ TURNOUT_DEMO_SPEED: '2' }).start();
    const { page } = await open(addressOf(client));
    await say(page, 'count to 60');
    const lengths: number[] = [];
    for (;;) {
      const text =
        (await answers(page)
          .first()
          .innerText()
          .catch(() => '')) ?? '';
      lengths.push(text.length);
      if (/\b60\b/.test(text)) break;
      await page.waitForTimeout(50);
    }
    expect(new Set(lengths).size).toBeGreaterThan(5);
    expect(await answers(page).count()).toBe(1);
  });
});

describe('commands (16.4)', () => {
  it('are offered behind a slash: arrows, Enter, Tab, Escape and the mouse choose, and the message stays a textbox', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client));
    const message = page.getByRole('textbox', { name: 'Message' });
    const active = () =>
      message.evaluate(
        (field) => document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent,
      );
    await message.pressSequentially('/');
    const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
    await options.first().waitFor();
    expect(await options.count()).toBeGreaterThan(8);
    expect(await active()).toMatch(/^\/backend/);
    await page.keyboard.press('ArrowUp');
    await expect.poll(active).toMatch(/^\/usage/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(active).toMatch(/^\/model/);
    await page.keyboard.press('Tab');
    expect(await message.inputValue()).toBe('/model ');
    expect(await options.count()).toBe(0);
    await message.fill('/st');
    await page.keyboard.press('Escape');
    await expect.poll(() => options.count()).toBe(0);
    await message.pressSequentially('a');
    await options.getByText('/status').click();
    expect(await message.inputValue()).toBe('/status');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Conversation' }).getByText('backend: claude').waitFor();
  });
});

describe('the list of conversations (16.4)', () => {
  it('shows the title that one was given; one that was archived is at its foot, until a message brings it back', async () => {
    const client = await setUpPage().start();
    const { page, problems } = await open(addressOf(client, `#token=${token}`));
    await say(page, 'say exactly: a pelican');
    await answers(page).getByText('a pelican').waitFor();
    const list = page.getByRole('navigation', { name: 'Conversations' });
    const menu = page.getByRole('button', { name: 'More about this conversation' });
    await menu.click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Birds');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Birds', level: 1 }).waitFor();
    await list.getByRole('link', { name: /^Birds/ }).waitFor();
    await menu.click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Fish');
    await page.keyboard.press('Escape');
    await menu.click();
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('This conversation is archived').waitFor();
    await list.getByRole('link', { name: /^Birds/ }).waitFor({ state: 'detached' });
    await list.getByText('Archived', { exact: true }).click();
    await list
      .locator('details')
      .getByRole('link', { name: /^Birds/ })
      .waitFor();
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('PELICAN');
    await list.getByRole('link', { name: /^Birds archived/ }).waitFor();
    await expect.poll(() => list.locator('mark').first().textContent()).toBe('pelican');
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('');
    await say(page, 'say exactly: another');
    await page.getByText('This conversation is archived').waitFor({ state: 'detached' });
    await list.getByText('There is none.').waitFor();
    await list.getByRole('link', { name: /^Birds/ }).waitFor();
    expect(problems).toEqual([]);
  });
});

describe('permissions (16.4)', () => {
  it('shows what would be done, and does it when it is allowed', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client));
    await say(page, 'write a note: buy milk');
    const card = page.getByRole('region', { name: /^Permission/ });
    await card.getByText('buy milk').first().waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await finished(page);
    expect(await card.count()).toBe(0);
    expect(await answers(page).first().innerText()).toMatch(/Allowed/);
  });

  it('denies with a reason', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client));
    await say(page, 'write a note: buy milk');
    await page.getByRole('button', { name: 'Say why' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('not in my kitchen');
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await finished(page);
    expect(await answers(page).first().innerText()).toContain('not in my kitchen');
  });

  it('takes Enter and Escape only when the question has the focus, and never from the message', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client));
    const card = page.getByRole('region', { name: /^Permission/ });
    await say(page, 'write a note: one');
    await page.getByRole('textbox', { name: 'Message' }).pressSequentially('I am typ');
    await card.waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('I am typ');
    await page.getByRole('textbox', { name: 'Message' }).fill('');
    // An empty message is nothing, and no answer either.
    await page.keyboard.press('Enter');
    await page.waitForTimeout(300);
    expect(await card.count()).toBe(1);
    await card.focus();
    await page.waitForTimeout(800);
    await page.keyboard.press('Escape');
    await finished(page);
    expect(await answers(page).first().innerText()).toContain('Denied');
    await page.waitForTimeout(1600);
    await say(page, 'write a note: two');
    await card.waitFor();
    // Nobody has typed for a while: the question takes the focus.
    await page.waitForTimeout(800);
    if (await page.evaluate(() => document.activeElement?.id === 'message')) await card.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => answers(page).nth(1).innerText()).toContain('Allowed');
  });

  it('is denied by a message, which the agent gets', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client));
    await say(page, 'write a note: buy milk');
    await page.getByRole('region', { name: /^Permission/ }).waitFor();
    await page.getByText('A message denies what is asked').waitFor();
    await say(page, 'say exactly: something else');
    await answers(page).getByText('something else').first().waitFor();
    expect(await answers(page).first().innerText()).toContain('Denied');
  });
});

describe('a turn that runs (16.4)', () => {
  it('is stopped with the button, and with Escape', async () => {
    const client = await setUpPage({ TURNOUT_DEMO_SPEED: '1' }).start();
    const { page } = await open(addressOf(client));
    for (const stop of ['button', 'key']) {
      await say(page, 'count to 500');
      await page.getByRole('button', { name: 'Stop' }).waitFor();
      await answers(page).last().getByText(/\b5\b/).first().waitFor();
      if (stop === 'button') await page.getByRole('button', { name: 'Stop' }).click();
      else await page.keyboard.press('Escape');
      await finished(page);
    }
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(1);
    const notices = page.getByRole('region', { name: 'Conversation', exact: true }).getByText(/^Stopped/);
    expect(await notices.count()).toBe(2);
    // What was said before is there after a reload: of the last turn at once, of others when it is asked for.
    await page.reload();
    await answers(page)
      .getByText(/\b1 2 3 4 5\b/)
      .waitFor();
    expect(await answers(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Show what was said and done' }).click();
    await expect.poll(() => answers(page).count()).toBe(2);
    expect(await notices.count()).toBe(2);
  });

  it('is not stopped by an Escape that is meant for something else (16.4)', async () => {
    const client = await setUpPage({ TURNOUT_DEMO_SPEED: '1' }).start();
    const { page } = await open(addressOf(client));
    let stops = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/interrupt')) stops += 1;
    });
    await say(page, 'say exactly: hello');
    await answers(page).getByText('hello', { exact: true }).waitFor();
    await finished(page);
    await say(page, 'count to 500');
    const stop = page.getByRole('button', { name: 'Stop' });
    await stop.waitFor();
    const search = page.getByRole('searchbox');
    await search.fill('words');
    await search.press('Escape');
    expect(await search.inputValue()).toBe('');
    await search.press('Escape');
    for (const place of ['Backend', 'Model']) await page.getByLabel(place, { exact: true }).press('Escape');
    await page.getByRole('link', { name: 'Statistics' }).press('Escape');
    await page.setViewportSize({ width: 360, height: 740 });
    const blur = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.getByRole('button', { name: 'Open the list' }).click();
    await blur();
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /▾$/ }).click();
    // On a phone it is in the menu.
    await page.getByText(/tokens \(\d+ %\)$/).waitFor();
    await blur();
    await page.keyboard.press('Escape');
    await page.getByLabel('Backend', { exact: true }).waitFor({ state: 'hidden' });
    expect([stops, await stop.count()]).toEqual([0, 1]);
    await page.keyboard.press('Escape');
    await finished(page);
    expect(stops).toBe(1);
  });

  it('is steered by a message, or the message is queued and can be cancelled', async () => {
    const client = await setUpPage({ TURNOUT_DEMO_SPEED: '1' }).start();
    const { page } = await open(addressOf(client));
    await say(page, 'wait 3 seconds');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('say exactly: queued');
    await page.getByRole('button', { name: 'Queue', exact: true }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('say exactly: never');
    await page.getByRole('button', { name: 'Queue', exact: true }).click();
    const waiting = page.getByRole('list', { name: 'Waiting messages' });
    await waiting.getByRole('button', { name: /Cancel: say exactly: never/ }).click();
    await expect.poll(() => waiting.getByText('never').count()).toBe(0);
    await answers(page).getByText('queued', { exact: true }).waitFor();
    expect(await answers(page).count()).toBe(2);
    await say(page, 'count to 60');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await say(page, 'say exactly: steered');
    await answers(page).getByText('steered').first().waitFor({ timeout: 30_000 });
    await finished(page);
    for (const opened of ['live', 'reloaded']) {
      if (opened === 'reloaded') await page.reload();
      // It stands where it came in.
      await answers(page).last().getByText('You said: say exactly: steered').waitFor();
      expect(await page.getByText('You said: say exactly: steered').count()).toBe(1);
      expect(await page.getByText('Cancelled, never ran').count()).toBe(1);
    }
  });

  it('is seen by two tabs, and whole after a reload in its middle', async () => {
    const client = await setUpPage({ TURNOUT_DEMO_SPEED: '1' }).start();
    const { page } = await open(addressOf(client));
    await say(page, 'count to 40');
    await answers(page)
      .getByText(/\b10\b/)
      .first()
      .waitFor();
    const second = await page.context().newPage();
    await second.goto(page.url());
    await page.reload();
    const expected = Array.from({ length: 40 }, (_, index) => String(index + 1)).join(' ');
    for (const tab of [page, second]) {
      await answers(tab).first().waitFor();
      await finished(tab);
      expect(await answers(tab).count()).toBe(1);
      const numbers = (await answers(tab).first().innerText()).match(/\d+/g) ?? [];
      expect(numbers.join(' ')).toContain(expected);
    }
  });

  it('is seen in a tab although more tabs than a browser has connections are open behind it', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client));
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    for (let tabs = 0; tabs < 8; tabs += 1) {
      const behind = await page.context().newPage();
      await behind.goto(addressOf(client, `#/c/tab-${tabs}`));
      await behind.getByRole('textbox', { name: 'Message' }).waitFor();
      await behind.evaluate(() => {
        Object.defineProperty(document, 'hidden', { value: true });
        document.dispatchEvent(new Event('visibilitychange'));
      });
    }
    await say(page, 'say exactly: seen');
    await answers(page).getByText('seen').waitFor();
  });

  it('goes on under the page when the gateway is started again, without loss or repeats', async () => {
    const stage = setUpPage({ TURNOUT_DEMO_SPEED: '1' });
    const first = await stage.start();
    const { port } = first.gateway.address;
    const { page } = await open(addressOf(first));
    await say(page, 'say exactly: before');
    await answers(page).getByText('before').waitFor();
    await first.stop();
    await page.getByText('Reconnecting').waitFor();
    await say(page, 'say exactly: meanwhile');
    await page.getByText('Not sent yet').waitFor();
    await stage.start({ HTTP_PORT: String(port) });
    await answers(page).getByText('meanwhile').waitFor({ timeout: 30_000 });
    expect(await answers(page).count()).toBe(2);
    await expect.poll(() => page.getByText('Reconnecting').count()).toBe(0);
  });
});

/** Waits until nothing runs. */
async function finished(page: Page): Promise<void> {
  await page.locator('.running-bar').waitFor({ state: 'detached', timeout: 30_000 });
  await page
    .getByRole('region', { name: 'Conversation' })
    .locator('article[aria-busy=true]')
    .waitFor({ state: 'detached' });
}
