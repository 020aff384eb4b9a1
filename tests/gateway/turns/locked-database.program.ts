import { describe, expect, it } from 'vitest';
import { ClaudeCodeBackend } from '../../../src/backends/claude-backend.js';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { lockDatabase } from '../lock-database.js';
import { demoAgent, eventually, setUpGateway } from '../stage.js';

const lockTimeoutMs = 200;

describe('a question while another program has the database locked', () => {
  it('what became of a question can’t be noted: the turn goes on', async () => {
    const stage = setUpGateway({ PERMISSION_MODE: 'ask', PERMISSION_TIMEOUT_MS: '1000' });
    const client = await stage.start({}, undefined, { lockTimeoutMs });
    const event = await client.post('a', 'write a note: nobody answers');
    await eventually(() => stage.points.includes('permission_asked'));
    const unlock = lockDatabase(stage);
    await eventually(() =>
      stage.log.some(({ message }) => message === 'a settled question could not be noted'),
    );
    unlock();
    expect(await client.ended(event)).toMatchObject({ state: 'answered', attempts: 1 });
  });

  it('a question can’t be written down after tools had begun: the turn is not repeated', async () => {
    const stage = setUpGateway();
    let runs = 0;
    let unlock = () => {};
    class Scripted extends ClaudeCodeBackend {
      override async *run(): AsyncGenerator<ChatEvent> {
        runs += 1;
        yield { type: 'tool_start', id: 't1', name: 'Bash', input: { command: 'make' } };
        yield { type: 'tool_end', id: 't1', output: '', isError: false };
        unlock = lockDatabase(stage);
        yield { type: 'permission_request', id: 'p1', tool: 'Write', input: {}, options: ['allow', 'deny'] };
      }
    }
    const config = { workingDir: stage.work, queryTimeoutMs: 60_000, allowedTools: [], maxTurns: 5 };
    const backend = new Scripted({ cliPath: demoAgent, ...config });
    const client = await stage.start({}, backend, { lockTimeoutMs });
    const event = await client.post('a', 'hello');
    // Each of the notes, and the result, waits for the lock.
    await eventually(() => stage.log.some(({ message }) => message === 'tools of a turn could not be noted'));
    await eventually(() =>
      stage.log.some(({ message }) => message === 'the result of a turn could not be written: trying again'),
    );
    unlock();
    expect(await client.ended(event)).toMatchObject({ state: 'failed', attempts: 1 });
    expect(runs).toBe(1);
    expect((await client.messages('a')).at(-1)?.text).toMatch(
      /Tools that had begun:\n- Bash .*\(done\)\n.*\/retry/,
    );
  });
});
