import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/no-child-left.ts'],
    // Most tests wait for child processes: more workers than cores keep the machine busy.
    maxWorkers: 6,
    // Real child processes on a busy machine: one more try there before a change is turned away.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
