import { defineConfig } from 'vitest/config';

// Tests that start Turnout's own programs, from the command line or as the agents of a gateway, again and again: a fresh Node for
// each takes more time than all the rest.
export default defineConfig({
  test: {
    include: ['tests/**/*.program.ts'],
    globalSetup: ['tests/no-child-left.ts', 'tests/compile-programs.ts'],
    // They wait for child processes: more workers than cores keep the machine busy.
    maxWorkers: 4,
    isolate: false,
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
