import { describe, expect, it } from 'vitest';
import { ClaudeCodeBackend } from '../../../src/backends/claude-backend.js';
import type { RecordedTools, RecordQuery } from '../../../src/backends/record/types.js';
import type { RunOptions, RunRequest } from '../../../src/backends/types.js';
import { type ChatEvent, type ErrorCode, errorEvent } from '../../../src/core/chat-event.js';
import { demoAgent, eventually, type GatewayStage, setUpGateway } from '../stage.js';

const make = { id: 't1', name: 'Bash', input: { command: 'make' }, hasEnded: false } as const;
const running: RecordedTools = { type: 'tools', tools: [{ ...make, denied: false, isError: false }] };
const none: RecordedTools = { type: 'tools', tools: [] };

/** An agent that ends without a word about its tools. Only its own record knows them. */
class SilentAgent extends ClaudeCodeBackend {
  runs = 0;
  record = running;
  readonly queries: RecordQuery[] = [];
  /** The session that each run was to resume. */
  readonly resumed: (string | undefined)[] = [];
  /** The error that it ends with; without one it works until it is stopped. */
  ends: ErrorCode | undefined;
  session: string | undefined = 's1';
  breaks = false;

  static on({ work, root }: GatewayStage): SilentAgent {
    const limits = { queryTimeoutMs: 60_000, allowedTools: [], maxTurns: 5 };
    return new SilentAgent({ cliPath: demoAgent, workingDir: work, env: { HOME: root }, ...limits });
  }

  override async recordedTools(query: RecordQuery): Promise<RecordedTools> {
    this.queries.push(query);
    return this.record;
  }

  override async *run({ sessionId }: RunRequest, { signal }: RunOptions = {}): AsyncGenerator<ChatEvent> {
    this.runs += 1;
    this.resumed.push(sessionId);
    if (this.session !== undefined) yield { type: 'session', sessionId: this.session, backend: 'claude' };
    if (this.breaks) throw Object.assign(new Error('No files left.'), { code: 'EMFILE' });
    if (this.ends === undefined) {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
      yield errorEvent('interrupted', 'Stopped.');
    } else yield errorEvent(this.ends, 'It ended.');
  }
}

describe('a tool of which only the agent’s own record knows', () => {
  it.each(['timeout', 'crashed'] as const)(
    'is not run again after the error %s, and the channel is told [fault 13.8: a CLI ends in a tool that it has not told of]',
    async (code) => {
      const stage = setUpGateway();
      const agent = SilentAgent.on(stage);
      agent.ends = code;
      const client = await stage.start({}, agent);
      expect(await client.ask('a', 'make it')).toMatchObject({
        state: 'failed',
        error: { code },
        attempts: 1,
      });
      expect((await client.messages('a')).at(-1)?.text).toMatch(
        /could not answer.*\n.*tools had begun:\n- Bash .*make.*end unknown.*\n.*\/retry/,
      );
      expect(agent.runs).toBe(1);
      expect(agent.queries).toMatchObject([{ sessionId: 's1', prompt: 'make it', cwd: stage.work }]);
    },
  );

  it('is not run again after a drain [fault 13.8: SIGTERM in a tool that the CLI has not told of]', async () => {
    const stage = setUpGateway();
    const agent = SilentAgent.on(stage);
    const client = await stage.start({}, agent);
    const event = await client.post('a', 'make it');
    await eventually(() => stage.points.includes('session'));
    await client.stop();

    const next = await stage.start({}, agent);
    expect(await next.ended(event)).toMatchObject({ state: 'failed', error: { code: 'interrupted' } });
    expect((await next.messages('a')).at(-1)?.text).toMatch(
      /was stopped.*\n.*tools had begun:\n- Bash .*make/,
    );
    expect(agent.runs).toBe(1);
  });

  it('is not run again by /retry’s own retries, whose text is the message’s', async () => {
    const stage = setUpGateway();
    const agent = SilentAgent.on(stage);
    agent.ends = 'crashed';
    const client = await stage.start({}, agent);
    await client.ask('a', 'make it');
    expect(await client.ask('a', '/retry')).toMatchObject({ state: 'failed', attempts: 1 });
    expect(agent.runs).toBe(2);
    expect(new Set(agent.queries.map(({ prompt }) => prompt))).toEqual(new Set(['make it']));
  });

  it.each([
    ['stays if the record names the tool', running, ['s1', 's1']],
    [
      'is forgotten if the record can’t tell',
      { type: 'unknown', reason: 'it is damaged' },
      ['s1', undefined],
    ],
  ] as const)(
    'of a resume that crashed is not run again; the session %s (R10)',
    async (_what, record, resumed) => {
      const stage = setUpGateway();
      const agent = SilentAgent.on(stage);
      agent.ends = 'auth';
      const client = await stage.start({}, agent);
      await client.ask('a', 'hello');
      agent.ends = 'crashed';
      agent.record = record;
      expect(await client.ask('a', 'make it')).toMatchObject({ state: 'failed', attempts: 1 });
      expect(agent.runs).toBe(2);
      agent.ends = 'auth';
      await client.ask('a', 'go on');
      expect(agent.resumed.slice(1)).toEqual(resumed);
      const told = (await client.messages('a')).filter(({ text }) => text.includes('could not be resumed'));
      expect(told).toHaveLength(resumed[1] === undefined ? 1 : 0);
    },
  );

  it('is not run again when the gateway itself breaks the turn off', async () => {
    const stage = setUpGateway();
    const agent = SilentAgent.on(stage);
    agent.breaks = true;
    const client = await stage.start({}, agent);
    const event = await client.post('a', 'make it');
    await eventually(() => stage.points.some((point) => point === 'finished' || point === 'postponed'));
    expect(await client.event(event)).toMatchObject({ state: 'failed', attempts: 1 });
    expect((await client.messages('a')).at(-1)?.text).toMatch(
      /inside the gateway.*\nTools that had begun:\n- Bash .*make.*\n.*\/retry/,
    );
    expect(agent.runs).toBe(1);
  });

  it('may have begun where the record does not tell', async () => {
    const stage = setUpGateway();
    const agent = SilentAgent.on(stage);
    agent.ends = 'timeout';
    agent.record = { type: 'unknown', reason: 'it is damaged' };
    const client = await stage.start({}, agent);
    expect(await client.ask('a', 'make it')).toMatchObject({ state: 'failed', attempts: 1 });
    expect((await client.messages('a')).at(-1)?.text).toMatch(
      /tools may have begun: it is damaged\.\n.*\/retry/,
    );
  });

  it('has not begun where the record has none, or the agent could not be started', async () => {
    const stage = setUpGateway({ RETRY_DELAY_MS: '1' });
    const agent = SilentAgent.on(stage);
    Object.assign(agent, { ends: 'timeout', record: none });
    const client = await stage.start({}, agent);
    expect(await client.ask('a', 'make it')).toMatchObject({ state: 'failed', attempts: 4 });
    expect(agent.queries).toHaveLength(3);
    Object.assign(agent, { ends: 'not_installed', record: running, session: undefined });
    expect(await client.ask('b', 'make it')).toMatchObject({ state: 'failed', attempts: 4 });
    expect(agent.queries).toHaveLength(3);
  });
});
