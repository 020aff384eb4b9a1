import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { layOutDemoFiles } from '../src/cli/demo/demo-files.js';
import findChromium, { chromiumPath } from '../tests/browser/find-chromium.js';
import { root, startDemo } from './start-demo.js';

// `npm run screenshot`: takes the README's picture, docs/page.png: the demo's first conversation, at its question.
const picture = join(root, 'docs/page.png');

findChromium();
const home = mkdtempSync(join(tmpdir(), 'turnout-screenshot-'));
// Its path is in the picture: a short one, which says nothing about this machine.
const work = '/tmp/hello';
mkdirSync(work);
try {
  layOutDemoFiles(work);
  await take(picture);
  console.log(`docs/page.png: ${Math.round(statSync(picture).size / 1000)} kB`);
} finally {
  for (const directory of [home, work]) rmSync(directory, { recursive: true, force: true });
}

async function take(path: string): Promise<void> {
  const demo = await startDemo([process.execPath, 'dist/cli/main.js', 'demo', '--no-open', '--port', '0'], {
    env: { HOME: home, WORKING_DIR: work, TURNOUT_DEMO_SPEED: '10' },
  });
  try {
    const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage({
        viewport: { width: 1280, height: 800 },
        deviceScaleFactor: 2,
        colorScheme: 'light',
        reducedMotion: 'reduce',
      });
      await page.goto(demo.url);
      await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
      // The last words, the card and the scroll to it take a few frames.
      await page.waitForTimeout(1000);
      await page.screenshot({ path });
    } finally {
      await browser.close();
    }
  } finally {
    await demo.stop();
  }
}
