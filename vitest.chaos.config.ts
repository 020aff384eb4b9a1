import { defineConfig } from 'vitest/config';

// Everything that can go wrong around a gateway, at once, for CHAOS_SECONDS (600).
export default defineConfig({
  test: {
    include: ['tests/gateway/**/*.chaos.ts'],
    globalSetup: ['tests/up-to-date-build.ts', 'tests/no-child-left.ts'],
    testTimeout: 3_600_000,
  },
});
