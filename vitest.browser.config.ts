import { defineConfig } from 'vitest/config';
import { patience } from './tests/machine-speed.js';

// The page in a real Chromium, with a real gateway.
export default defineConfig({
  test: {
    include: ['tests/browser/**/*.browser.ts'],
    globalSetup: ['tests/up-to-date-build.ts', 'tests/no-child-left.ts', 'tests/browser/find-chromium.ts'],
    // A browser and a gateway keep two cores busy, and one of the tests measures how quick the page is.
    fileParallelism: false,
    retry: process.env['CI'] ? 2 : 0,
    // An agent and a browser take their time on a busy machine.
    expect: { poll: patience },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
