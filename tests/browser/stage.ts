import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type GatewayStage, setUpGateway } from '../gateway/stage.js';
import { chromiumPath } from './find-chromium.js';

export const token = 'a-token-for-the-tests';
export const builtPage = fileURLToPath(new URL('../../dist/web', import.meta.url));

let browser: Browser | undefined;

/** One browser for the tests of a file; each test has pages of its own. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    browser = undefined;
  });
}

/** A gateway over the demo agent, with live sessions and permissions that are asked for; it serves the built page. */
export function setUpPage(settings: Record<string, string> = {}): GatewayStage {
  return setUpGateway({ BACKEND_LIVE: '1', PERMISSION_MODE: 'ask', ...settings }, builtPage);
}

export interface OpenedPage {
  readonly page: Page;
  /** What went wrong in the page, and what its Content-Security-Policy has forbidden. */
  readonly problems: readonly string[];
}

/** Opens a page in a browser of its own, as somebody does who has clicked on the address in the terminal. */
export async function open(url: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  if (browser === undefined) throw new Error('useBrowser() comes first.');
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  return { page, problems: watch(page), ...(await page.goto(url).then(() => ({}))) };
}

/** Collects what a page complains about. */
export function watch(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // A gateway that is down, or a session that has ended, is told by the browser too: the tests know of that.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  return problems;
}

export function addressOf(
  { gateway }: { readonly gateway: { readonly address: { readonly host: string; readonly port: number } } },
  fragment = `#token=${token}`,
): string {
  return `http://${gateway.address.host}:${gateway.address.port}/${fragment}`;
}

/** Sends a message as somebody does who types. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

export function answers(page: Page) {
  return page.getByRole('region', { name: 'Conversation' }).getByRole('article');
}
