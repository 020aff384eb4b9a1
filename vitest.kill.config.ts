import { defineConfig } from 'vitest/config';

// The gateway under load, killed at every journal point: docs/kill-points.md is written by it.
export default defineConfig({
  test: {
    include: ['tests/gateway/**/*.kill.ts'],
    globalSetup: ['tests/no-child-left.ts'],
    fileParallelism: false,
    // A gateway that is started again, or waits for its agents, leaves a core to another one.
    maxConcurrency: 2,
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 180_000,
  },
});
