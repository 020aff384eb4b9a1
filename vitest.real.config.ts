import { defineConfig } from 'vitest/config';
import { patience } from './tests/machine-speed.js';

// The tests that need the vendors' CLIs: `npm run lab` runs them beside the scenarios.
export default defineConfig({
  test: {
    include: ['tests/real/**/*.real.ts'],
    globalSetup: ['tests/up-to-date-build.ts', 'tests/no-child-left.ts', 'tests/compile-programs.ts'],
    // A CLI keeps one core busy: with three of them, the run takes as long and clocks run out.
    maxWorkers: 2,
    retry: process.env['CI'] ? 2 : 0,
    expect: { poll: patience },
    testTimeout: 120_000,
  },
});
