import { describe, expect, it } from 'vitest';
import { directory, startProgram, url } from '../gateway/program.js';
import { answers, open, say, token, useBrowser } from './stage.js';

useBrowser();

describe('a gateway that is killed under the page (16.4)', () => {
  it('is found again when it is back, and its turn comes to its end, once', async () => {
    const root = directory();
    const env = { HTTP_TOKEN: token, TURNOUT_DEMO_SPEED: '1', RETRY_DELAY_MS: '50' };
    const first = startProgram(root, env, ['--demo']);
    const address = await url(first);
    const { page } = await open(`${new URL(address).origin}/#token=${token}`);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await say(page, 'count to 40');
    await answers(page).getByText(/\b8\b/).first().waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
    first.child.kill('SIGKILL');
    await page.getByText('Reconnecting').waitFor();
    // Nobody knows how the turn goes on: it can't be stopped now, and its time stands still.
    await page.getByRole('button', { name: 'Stop', disabled: true }).waitFor();
    const elapsed = await page.locator('.running-time').textContent();
    await page.waitForTimeout(1100);
    expect(await page.locator('.running-time').textContent()).toBe(elapsed);
    await url(startProgram(root, { ...env, HTTP_PORT: new URL(address).port }, ['--demo']));
    await expect
      .poll(async () => (await answers(page).last().innerText()).match(/\d+/g)?.join(' ') ?? '', {
        timeout: 40_000,
      })
      .toMatch(/\b38 39 40\b/);
    expect(await answers(page).count()).toBe(1);
    expect(await page.getByText('Reconnecting').count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('half a thought');
  });
});
