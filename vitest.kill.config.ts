import { defineConfig } from 'vitest/config';
import { patience } from './tests/machine-speed.js';

// Whole programs that are started, killed and started again, and the ending of processes, which is seen by the whole
// machine: one file at a time. docs/kill-points.md, docs/faults.md and docs/discord-faults.md are written by it.
export default defineConfig({
  test: {
    include: ['tests/**/*.kill.ts'],
    globalSetup: ['tests/up-to-date-build.ts', 'tests/no-child-left.ts', 'tests/compile-programs.ts'],
    fileParallelism: false,
    // A gateway that is started again, or waits for its agents, leaves a core to others.
    maxConcurrency: 3,
    retry: process.env['CI'] ? 2 : 0,
    expect: { poll: patience },
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
