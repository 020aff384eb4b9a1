import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackendAdapter, BackendEventResult, EventResult } from '../../src/backends/types.js';
import { noLog } from '../../src/config/log.js';
import { isSessionId } from '../../src/core/session-id.js';
import { AgentRuntime, type TurnObserver } from '../../src/gateway/agent-runtime.js';
import { type PendingSession, SessionManager } from '../../src/gateway/agents/session-manager.js';
import { loadConfig } from '../../src/gateway/config.js';
import { HookManager } from '../../src/gateway/hooks/hook-manager.js';
import { MarkdownConfigLoader } from '../../src/gateway/persona/markdown-config-loader.js';
import { SystemPromptAssembler } from '../../src/gateway/persona/system-prompt-assembler.js';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../src/store/store.js';
import { anyString } from './arbitraries.js';

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

/** A backend that returns what it is told to, and remembers what it was asked to resume. */
class Scripted implements BackendAdapter {
  next: BackendEventResult = { isError: false };
  readonly resumed: (string | undefined)[] = [];
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  name(): string {
    return this.#name;
  }

  async validate(): Promise<boolean> {
    return true;
  }

  async execute(_prompt: string, _systemPrompt: string, sessionId?: string): Promise<BackendEventResult> {
    this.resumed.push(sessionId);
    return this.next;
  }
}

const channels = fc.constantFrom('a', 'b', '__proto__', 'ünïcode', "o'hara", 'x\0y', '\ud800');
const backends = fc.constantFrom('claude', 'codex', 'gemini', 'opencode', 'toy');
/** Any words that are one printed piece can be an id: no option, no path. */
const usable = fc.oneof(fc.uuid(), anyString).filter(isSessionId);
const ids = fc.option(fc.oneof(usable, anyString), { nil: undefined });
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant('turn' as const),
        channel: channels,
        backend: backends,
        id: ids,
        isError: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('forget' as const), channel: channels, backend: backends }),
    },
  ),
  { maxLength: 12 },
);

const silent: TurnObserver = {
  told: async () => {},
  began: async () => {},
  saw: async () => {},
  resumeFailed: async () => 'keep',
};

describe('Feature: multi-cli-backend, Property 10: session storage (R10.1, R10.4)', () => {
  it('Property 10: the last id that a turn returned is stored for the channel; one that is undefined, empty or no id changes nothing', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        count += 1;
        const sessions = new SessionManager(store);
        const stage = await setUp(sessions);
        const expected = new Map<string, string>();
        for (const step of given) {
          // Each run in channels of its own.
          const channel = `${count} ${step.channel}`;
          const { backend } = step;
          const key = JSON.stringify([channel, backend]);
          if (step.type === 'forget') {
            await sessions.forget(channel, backend);
            expected.delete(key);
            continue;
          }
          const { id, isError } = step;
          const result = await stage.turn(channel, backend, withId({ isError, responseText: 'x' }, id));
          expect('error' in result).toBe(isError);
          const isUsable = id !== undefined && isSessionId(id);
          if (isUsable) expected.set(key, id);
          const stored = await sessions.get(channel, backend);
          expect(stored?.sessionId).toBe(expected.get(key));
          if (isUsable) expect(stored?.cwd).toBe(directory);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('Property 10: a turn resumes the id that is stored, if it can be one', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(backends, ids, async (backend, id) => {
        count += 1;
        const stage = await setUp(new SessionManager(store));
        const channel = `resumed ${count}`;
        await stage.turn(channel, backend, withId({ isError: false, responseText: 'x' }, id));
        await stage.turn(channel, backend, { isError: false, responseText: 'x' });
        const isUsable = id !== undefined && isSessionId(id);
        expect(stage.resumed(backend)).toEqual([undefined, isUsable ? id : undefined]);
      }),
      { numRuns: 100 },
    );
  });

  it('Property 10: an id that the backend does not know any more is dropped', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(backends, usable, ids, async (backend, id, told) => {
        count += 1;
        const sessions = new SessionManager(store);
        const stage = await setUp(sessions);
        const channel = `lost ${count}`;
        await stage.turn(channel, backend, withId({ isError: false, responseText: 'x' }, id));
        const lost = { isError: true, responseText: 'Session not found' };
        await stage.turn(channel, backend, withId(lost, told));
        expect(stage.resumed(backend)).toEqual([undefined, id, undefined]);
        expect(await sessions.get(channel, backend)).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it('Property 10: a session that is to be stored with its turn’s result is left to that', async () => {
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        const sessions = new SessionManager(store);
        const stage = await setUp(sessions);
        const pending: PendingSession = {};
        await stage.turn('pending', 'toy', withId({ isError: false, responseText: 'x' }, id), pending);
        expect(await sessions.get('pending', 'toy')).toBeUndefined();
        const session = { backend: 'toy', sessionId: id, cwd: directory };
        expect(pending).toEqual(id !== undefined && isSessionId(id) ? { session } : {});
      }),
      { numRuns: 100 },
    );
  });
});

async function setUp(sessions: SessionManager) {
  const env = { TURNOUT_HOME: directory, WORKING_DIR: directory, CONFIG_DIR: join(directory, 'config') };
  const config = loadConfig({ ...env, BACKEND_CLI_PATH: 'no-such-program' });
  const hooks = await HookManager.load(config.configDir, noLog, env);
  const made = new Map<string, { backend: Scripted; runtime: AgentRuntime }>();
  const of = (name: string) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const backend = new Scripted(name);
    const loader = new MarkdownConfigLoader(config.configDir);
    const runtime = new AgentRuntime(config, backend, sessions, loader, new SystemPromptAssembler(), hooks);
    made.set(name, { backend, runtime });
    return { backend, runtime };
  };
  return {
    resumed: (name: string) => of(name).backend.resumed,
    async turn(
      channel: string,
      name: string,
      next: BackendEventResult,
      pending?: PendingSession,
    ): Promise<EventResult> {
      const { backend, runtime } = of(name);
      backend.next = next;
      const turn = { channel, source: 'test', eventId: 'e', text: 'hi', chosen: {}, pending };
      const seed = async () => ({ messages: [] });
      const report = await runtime.run({ ...turn, seed }, silent, new AbortController().signal);
      return report.result;
    },
  };
}

function withId(result: BackendEventResult, sessionId: string | undefined): BackendEventResult {
  return sessionId === undefined ? result : { ...result, sessionId };
}
