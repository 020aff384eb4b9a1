import { defineConfig } from 'vitest/config';

// The tests that need the vendors' CLIs: `npm run lab` runs them beside the scenarios.
export default defineConfig({
  test: {
    include: ['tests/real/**/*.real.ts'],
    globalSetup: ['tests/no-child-left.ts'],
    fileParallelism: false,
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 120_000,
  },
});
