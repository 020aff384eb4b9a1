import { defineConfig } from 'vitest/config';

// The page in a real Chromium, with a real gateway.
export default defineConfig({
  test: {
    include: ['tests/browser/**/*.browser.ts'],
    globalSetup: ['tests/no-child-left.ts', 'tests/browser/find-chromium.ts'],
    // A browser and a gateway keep two cores busy, and one of the tests measures how quick the page is.
    fileParallelism: false,
    retry: process.env['CI'] ? 1 : 0,
    // An agent and a browser take their time on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
