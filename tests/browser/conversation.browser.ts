import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sessionId, writeSessions } from '../unit/backends/record/written-sessions.js';
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
  it('shows what would be done, and does it when it is allowed; is denied with a reason, or by a message; one that is queued leaves it open', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client));
    const card = page.getByRole('region', { name: /^Permission/ });
    await say(page, 'write a note: buy milk');
    await card.getByText('buy milk').first().waitFor();
    await page.getByText('Send denies what is asked').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('write a note: queued');
    await page.getByRole('button', { name: 'Queue', exact: true }).click();
    await page.getByRole('list', { name: 'Waiting messages' }).getByText('queued').waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await expect.poll(() => answers(page).first().innerText()).toMatch(/Allowed/);

    await card.getByText('queued').first().waitFor();
    await page.getByRole('button', { name: 'Say why' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('not in my kitchen');
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await finished(page);
    expect(await card.count()).toBe(0);
    expect(await answers(page).nth(1).innerText()).toContain('not in my kitchen');

    await say(page, 'write a note: a third');
    await card.waitFor();
    await say(page, 'say exactly: something else');
    await answers(page).getByText('something else').first().waitFor();
    expect(await answers(page).nth(2).innerText()).toContain('Denied');
  });

  it('takes Enter only when it has the focus, to which an Enter without a message leads; Escape from the message denies it, and stops nothing', async () => {
    const client = await setUpPage().start();
    const { page } = await open(addressOf(client));
    const card = page.getByRole('region', { name: /^Permission/ });
    await say(page, 'write a note: one');
    await page.getByRole('textbox', { name: 'Message' }).pressSequentially('I am typ');
    await card.waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('I am typ');
    await page.getByRole('textbox', { name: 'Message' }).fill('');
    await page.getByText('Without a message, Enter goes to the question. Esc denies it.').waitFor();
    expect(await card.locator('.permission-keys').isVisible()).toBe(false);
    await page.waitForTimeout(800);
    await page.keyboard.press('Escape');
    await finished(page);
    expect(await answers(page).first().innerText()).toMatch(/Denied/);
    expect(await page.getByText(/^Stopped/).count()).toBe(0);

    await page.getByRole('textbox', { name: 'Message' }).fill('write a note: two');
    await page.keyboard.press('Enter');
    await card.waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
    // An empty message is no answer: it leads to the question, and so does the second half of a double press.
    await page.waitForTimeout(800);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect.poll(() => card.evaluate((one) => one === document.activeElement)).toBe(true);
    await card.getByText('Enter allows, Esc denies').waitFor();
    await page.waitForTimeout(400);
    expect(await card.count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => answers(page).nth(1).innerText()).toContain('Allowed');
  });
});

describe('where nobody is asked, and no turn steered (16.4)', () => {
  it('says so, and how to change it; Send queues', async () => {
    const client = await setUpPage({
      BACKEND_LIVE: '0',
      PERMISSION_MODE: 'bypass',
      TURNOUT_DEMO_SPEED: '1',
    }).start();
    const { page } = await open(addressOf(client));
    await page.getByText('It asks nothing, and does what it decides.').waitFor();
    await page.getByText('PERMISSION_MODE=ask').waitFor();
    await page.getByText('asks nothing', { exact: true }).waitFor();
    await say(page, 'count to 500');
    await page.getByText('Send queues: it runs after this turn.').waitFor();
    expect(await page.getByRole('button', { name: 'Queue', exact: true }).count()).toBe(0);
    await say(page, 'say exactly: later');
    await page.getByRole('list', { name: 'Waiting messages' }).getByText('later').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await answers(page).getByText('later', { exact: true }).waitFor();
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
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => notices.count()).toBe(3);
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
    const tabs = Array.from({ length: 8 }, async (_, tab) => {
      const behind = await page.context().newPage();
      await behind.addInitScript(() => Object.defineProperty(document, 'hidden', { value: true }));
      await behind.goto(addressOf(client, `#/c/tab-${tab}`));
      await behind.getByRole('textbox', { name: 'Message' }).waitFor();
    });
    await Promise.all(tabs);
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
    // What could not be sent outlives the page, and arrives once.
    await page.route('**/messages', (route) => route.abort());
    await say(page, 'say exactly: outlived');
    await page.getByText('Not sent yet').waitFor();
    await page.reload();
    await page.getByText('outlived').waitFor();
    await page.unroute('**/messages');
    await answers(page).getByText('outlived', { exact: true }).waitFor();
    await page.reload();
    await answers(page).getByText('outlived', { exact: true }).waitFor();
    expect(await answers(page).count()).toBe(3);
    expect(await page.getByText('Not sent yet').count()).toBe(0);
  });
});

describe('a turn with everything in it (16.4)', () => {
  it('folds what was thought, shows the plan and the time, is allowed for good, and can be copied and looked at again', async () => {
    const client = await setUpPage().start();
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, problems } = await open(addressOf(client), { permissions });
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await say(page, 'show me around');
    const time = page.locator('.running-time');
    const early = await time.textContent();
    const answer = answers(page).first();
    const thought = answer.getByText('Somebody may be here for the first time');
    await answer.getByText('Thought', { exact: true }).waitFor();
    expect(await thought.count()).toBe(0);
    await answer.getByText('Thought', { exact: true }).click();
    await thought.waitFor();
    await page.getByText('Todo list: 1 of 3 done').waitFor();
    // Folded while a question needs the room.
    const plan = page.locator('.todo-list li');
    expect(await plan.allTextContents()).toEqual([
      '● Look at the files',
      '◐ Propose a change, and ask first',
      '○ Say what to try next',
    ]);
    await page.getByText('waits for your answer').waitFor();
    await expect.poll(() => time.textContent()).not.toBe(early);
    expect(await time.textContent()).toMatch(/^\d+ s$/);
    await page.getByRole('button', { name: 'Always allow' }).click();
    await finished(page);
    expect(await answer.innerText()).toContain('Always allowed: Write');
    const context = page.getByText(/^Context: [\d.]+k? of 200k tokens \(\d+ %\)$/);
    const used = await context.textContent();

    await answer.getByRole('button', { name: 'Copy code' }).click();
    await answer.getByText('Copied').waitFor();
    expect(await copied()).toMatch(/^count to 100 slowly[^`]*everything that I understand\n?$/);
    await answer.getByRole('button', { name: 'Copy the answer' }).click();
    await expect.poll(copied).toContain('```text\ncount to 100 slowly');

    await say(page, 'write a note: not asked');
    await expect.poll(() => answers(page).count()).toBe(2);
    await finished(page);
    expect(await page.getByRole('region', { name: /^Permission/ }).count()).toBe(0);
    expect(await answers(page).last().innerText()).not.toContain('could not');
    expect(await context.textContent()).not.toBe(used);

    await page.reload();
    await answer.getByText('Steps', { exact: true }).click();
    await answer.getByText('Thought', { exact: true }).waitFor();
    expect(await answer.getByText('TodoWrite', { exact: true }).count()).toBe(3);
    await answer.getByText('Write', { exact: true }).click();
    await answer.getByText('Turnout was here.').waitFor();
    expect(problems).toEqual([]);
  });

  it('is answered by the backend and the model that one click has chosen, or in a session of the CLI’s own', async () => {
    const stage = setUpPage();
    const bin = join(stage.root, 'bin');
    const yard = join(stage.root, 'yard');
    for (const directory of [bin, yard]) mkdirSync(directory);
    writeFileSync(join(bin, 'codex'), '#!/bin/sh\necho codex-cli 0.163.0\n', { mode: 0o755 });
    // The list is that of new conversations, also beside one with a directory of its own.
    stage.configure('channels/elsewhere/channel.md', `---\ncwd: ${yard}\n---\n`);
    const written = { id: sessionId(1), cwd: stage.work, usedAt: 1000, prompt: 'look around' };
    writeSessions('codex', stage.root, [written]);
    const client = await stage.start({ PATH: `${bin}:${process.env['PATH']}` });
    const { page } = await open(addressOf(client));
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.goto(addressOf(client, '#/c/elsewhere'));
    const backend = page.getByLabel('Backend', { exact: true });
    const model = page.getByLabel('Model', { exact: true });
    await backend.locator('option', { hasText: /^codex$/ }).waitFor({ state: 'attached' });
    await backend.selectOption('codex');
    await expect.poll(() => backend.inputValue()).toBe('codex');
    await backend.selectOption('claude');
    await expect.poll(() => backend.inputValue()).toBe('claude');
    await model.selectOption('Other …');
    await page.getByLabel('Name of the model').fill('sonnet');
    await page.keyboard.press('Enter');
    await expect.poll(() => model.inputValue()).toBe('sonnet');
    const depth = page.getByLabel('Thinking depth', { exact: true });
    await depth.selectOption('high');
    await expect.poll(() => depth.inputValue()).toBe('high');
    expect(await client.gateway.status('elsewhere')).toMatchObject({ model: 'sonnet', thinking: 'high' });
    await say(page, 'say exactly: chosen');
    await answers(page).getByText('chosen').waitFor();
    expect(await answers(page).locator('.answer-model').innerText()).toBe('sonnet');
    await model.selectOption('Default model');
    await expect.poll(() => model.inputValue()).toBe('');

    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByText('Earlier sessions on this machine').click();
    await list.getByText(`of ${stage.work}`).waitFor();
    await list.getByRole('button', { name: /look around/ }).click();
    const said = page.getByRole('region', { name: 'Conversation' });
    await said.getByText(`Going on with the session ${written.id} of codex: look around`).waitFor();
    expect(await page.locator('.head-title p').innerText()).toContain(stage.work);
    await list.getByRole('button', { name: /look around/ }).waitFor({ state: 'detached' });
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
