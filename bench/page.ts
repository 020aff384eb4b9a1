import { measureFirstCharacter } from './first-character.js';
import { measureLongPage } from './long-page.js';
import { withBrowser } from './page-browser.js';
import { measurePageStart } from './page-start.js';
import type { Comparison } from './report.js';

/** The page as somebody meets it: how soon it is there, how soon it shows an answer, and how smooth it stays. */
export async function measurePage(): Promise<readonly Comparison[]> {
  return [
    ...(await measurePageStart()),
    ...(await withBrowser(measureFirstCharacter)),
    ...(await withBrowser(measureLongPage)),
  ];
}
