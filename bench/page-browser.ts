import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import findChromium, { chromiumPath } from '../tests/browser/find-chromium.js';

const inPage = fileURLToPath(new URL('./programs/in-page.js', import.meta.url));

export async function withBrowser<T>(measure: (browser: Browser) => Promise<T>): Promise<T> {
  findChromium();
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  try {
    return await measure(browser);
  } finally {
    await browser.close();
  }
}

/** Opens a page that can be measured, in a window of its own. */
export async function openPage(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  await context.addInitScript({ path: inPage });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}
