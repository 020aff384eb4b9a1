import { defineConfig } from 'vitest/config';
import { patience } from './tests/machine-speed.js';

/** Files that fake the clock, which other files in the same worker would notice. */
const fakeClock = [
  'tests/unit/sessions/{alarm,watchdog}.test.ts',
  'tests/unit/cli/gateway/until-stopped.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['tests/up-to-date-build.ts', 'tests/no-child-left.ts', 'tests/compile-programs.ts'],
    // Most tests wait for child processes: more workers than cores keep the machine busy.
    maxWorkers: 8,
    // Real child processes on a busy machine: one more try there before a change is turned away.
    retry: process.env['CI'] ? 2 : 0,
    expect: { poll: patience },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'fake clock', include: fakeClock } },
      {
        extends: true,
        // A worker keeps its modules from one file to the next: to load them anew takes a third of the whole run.
        test: { name: 'real clock', include: ['tests/**/*.test.ts'], exclude: fakeClock, isolate: false },
      },
    ],
  },
});
