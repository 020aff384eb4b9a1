import { defineConfig } from 'vitest/config';
import { patience } from './tests/machine-speed.js';

// Tests that start Turnout's own programs, from the command line or as the agents of a gateway, again and again: a fresh Node for
// each takes more time than all the rest.
export default defineConfig({
  test: {
    include: ['tests/**/*.program.ts'],
    globalSetup: ['tests/up-to-date-build.ts', 'tests/no-child-left.ts', 'tests/compile-programs.ts'],
    // They wait for child processes: more workers than cores keep the machine busy.
    maxWorkers: 4,
    isolate: false,
    retry: process.env['CI'] ? 2 : 0,
    expect: { poll: patience },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
