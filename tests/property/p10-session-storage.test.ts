import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionManager } from '../../src/gateway/agents/session-manager.js';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../src/store/store.js';

let directory: string;
let store: Store;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'turnout-p10-'));
  store = await openSqliteStore(join(directory, 'turnout.db'));
});

afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const channels = fc.constantFrom('a', 'b', '__proto__', 'ünïcode', "o'hara");
const backends = fc.constantFrom('claude', 'codex', 'gemini', 'opencode');
const ids = fc.option(fc.string({ minLength: 1, unit: 'grapheme' }), { nil: undefined });
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant('set' as const),
        channel: channels,
        backend: backends,
        id: ids,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('forget' as const), channel: channels, backend: backends }),
    },
  ),
  { maxLength: 20 },
);

describe('Property 10: session storage (R10.4)', () => {
  it('the last id that was returned is the one to resume; an undefined one changes nothing', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        run += 1;
        // Each run in channels of its own.
        const named = given.map((step) => ({ ...step, channel: `${run} ${step.channel}` }));
        const sessions = new SessionManager(store);
        const expected = new Map<string, string>();
        for (const step of named) {
          const key = JSON.stringify([step.channel, step.backend]);
          if (step.type === 'forget') {
            await sessions.forget(step.channel, step.backend);
            expected.delete(key);
            continue;
          }
          const { channel, backend, id: sessionId } = step;
          await sessions.set({ channel, backend, sessionId, cwd: '/work', seen: 0 });
          if (sessionId !== undefined) expected.set(key, sessionId);
        }
        for (const { channel, backend } of named) {
          const stored = await sessions.get(channel, backend);
          expect(stored?.sessionId).toBe(expected.get(JSON.stringify([channel, backend])));
        }
      }),
      { numRuns: 100 },
    );
  });
});
