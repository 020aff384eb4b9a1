import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CodexBackend } from '../../../src/backends/codex-backend.js';
import type { BackendAdapter, BackendAdapterConfig, LocatedCli } from '../../../src/backends/types.js';
import { collect, DemoSessions } from './demo-sessions.js';

const program = fileURLToPath(new URL('../../fixtures/programs/slow-starter.mjs', import.meta.url));

let demo: DemoSessions;
beforeEach(() => {
  demo = new DemoSessions();
});
afterEach(async () => {
  await demo.close();
  expect(demo.processes()).toEqual([]);
});

class Counting extends CodexBackend {
  located = 0;

  override locate(): Promise<LocatedCli> {
    this.located += 1;
    return super.locate();
  }
}

describe('an adapter that is given to a session', () => {
  it('starts its process in live mode too, which no session of another adapter shares (R10.2)', async () => {
    const config: BackendAdapterConfig = { ...demo.config, cliPath: program };
    const [one, other] = [new Counting(config), new Counting(config)];
    const open = (adapter?: BackendAdapter) => demo.sessions.open({ backend: 'codex', config, adapter });
    await open(one);
    await open(one);
    expect([one.located, demo.sessions.processes]).toEqual([1, 1]);
    await open(other);
    expect([one.located, other.located, demo.sessions.processes]).toEqual([1, 1, 2]);
    await open();
    expect([one.located, other.located, demo.sessions.processes]).toEqual([1, 1, 3]);
  });

  it('needs no more than three methods for one-shot turns, and is refused by name for live ones', async () => {
    const adapter: BackendAdapter = {
      name: () => 'toy',
      validate: async () => true,
      execute: async (prompt) => ({ isError: false, responseText: `You said ${prompt}`, sessionId: 's' }),
    };
    const session = await demo.open({ adapter, live: false });
    expect((await collect(session.send('hello'))).at(-1)).toMatchObject({
      type: 'complete',
      text: 'You said hello',
    });
    expect(session.sessionId).toBe('s');
    await expect(demo.open({ backend: 'toy', adapter })).rejects.toMatchObject({
      code: 'unsupported',
      message: 'toy does not support live sessions.',
      hint: expect.stringContaining('`live: false`'),
    });
  });
});
