import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ClaudeCodeBackend } from '../../../src/backends/claude-backend.js';
import type { RunOptions, RunRequest } from '../../../src/backends/types.js';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { databaseFile } from '../../../src/gateway/gateway.js';
import { loadSqlite } from '../../../src/sqlite/load-sqlite.js';
import { diskAfterKill } from '../disk-after-kill.js';
import { demoAgent, eventually, type GatewayStage, setUpGateway } from '../stage.js';
import { claudeLines } from './claude-lines.js';

const Sqlite = await loadSqlite();

/** An agent that keeps no record. Its tool goes on until it is told to end. */
class ToolAgent extends ClaudeCodeBackend {
  runs = 0;
  endTool: () => void = () => undefined;

  static on(stage: GatewayStage): ToolAgent {
    const limits = { queryTimeoutMs: 60_000, allowedTools: [], maxTurns: 5 };
    return new this({
      cliPath: demoAgent,
      workingDir: stage.work,
      env: { HOME: stage.root },
      ...limits,
    });
  }

  override async *run(_request: RunRequest, _options?: RunOptions): AsyncGenerator<ChatEvent> {
    this.runs += 1;
    yield { type: 'session', sessionId: 's1', backend: 'claude' };
    yield { type: 'tool_start', id: 't1', name: 'Bash', input: { command: 'make' } };
    await new Promise<void>((resolve) => {
      this.endTool = resolve;
    });
    yield { type: 'tool_end', id: 't1', output: '', isError: false };
    yield { type: 'complete', text: 'Made.', sessionId: 's1', stopReason: 'end_turn' };
  }
}

/** An agent that has printed a tool into its output, which can't be read so far. */
class UnreadAgent extends ToolAgent {
  override async *run(_request: RunRequest, options: RunOptions = {}): AsyncGenerator<ChatEvent> {
    this.runs += 1;
    writeFileSync(options.stdoutFile ?? '', claudeLines.init + claudeLines.tool('{"command":"make"}'));
    yield { type: 'session', sessionId: 's1', backend: 'claude' };
    throw new Error('the output could not be read');
  }
}

/** From now on the store takes everything but the note of a tool. */
function refuseToolNotes(stage: GatewayStage): void {
  const db = new Sqlite(join(stage.home, databaseFile), { timeout: 5000 });
  db.exec("CREATE TRIGGER no_tools BEFORE INSERT ON turn_tools BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  db.close();
}

const isNote = (name: string) => name.endsWith('.tool-begun');

describe('a tool that begins when the journal can’t be written', () => {
  it('is not run again after a crash, and the turn goes on without one [fault 13.8: the store full or locked when a tool begins]', async () => {
    const stage = setUpGateway();
    const agent = ToolAgent.on(stage);
    const client = await stage.start({}, agent);
    refuseToolNotes(stage);
    const event = await client.post('a', 'make it');
    const turns = join(stage.home, 'turns');
    await eventually(() => existsSync(turns) && readdirSync(turns).some(isNote));
    await eventually(() => stage.points.includes('tool_started'));
    const left = diskAfterKill(stage);
    agent.endTool();
    expect(await client.ended(event)).toMatchObject({ state: 'answered', responseText: 'Made.' });
    await eventually(() => !readdirSync(turns).some(isNote));
    await client.stop();

    const next = await stage.start({ TURNOUT_HOME: left }, agent);
    expect(await next.ended(event)).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
    expect((await next.messages('a')).at(-1)?.text).toMatch(/tools may have begun: .*notes.*\n.*\/retry/);
    expect(agent.runs).toBe(1);
  });

  it('ends the turn if it can be noted nowhere: further tools would not be known either', async () => {
    const stage = setUpGateway();
    const agent = ToolAgent.on(stage);
    const client = await stage.start({}, agent);
    refuseToolNotes(stage);
    stage.onPoint((point) => {
      if (point !== 'session') return;
      renameSync(join(stage.home, 'turns'), join(stage.home, 'turns-elsewhere'));
      writeFileSync(join(stage.home, 'turns'), '');
    });
    expect(await client.ask('a', 'make it')).toMatchObject({ state: 'failed', attempts: 1 });
    expect((await client.messages('a')).at(-1)?.text).toMatch(/Tools that had begun:\n- Bash .*make/);
    expect(agent.runs).toBe(1);
  });
});

describe('a tool in an output that could not be read to its end', () => {
  it('is known to the next gateway until the failure is on disk [fault 13.3: an output that can’t be read]', async () => {
    const stage = setUpGateway();
    const agent = UnreadAgent.on(stage);
    const client = await stage.start({}, agent);
    let left: string | undefined;
    stage.onPoint((point) => {
      if (point === 'finishing') left ??= diskAfterKill(stage);
    });
    const event = await client.post('a', 'make it');
    expect(await client.ended(event)).toMatchObject({ state: 'failed', attempts: 1 });
    await eventually(() => readdirSync(join(stage.home, 'turns')).length === 0);
    await client.stop();

    const next = await stage.start({ TURNOUT_HOME: left ?? '' }, agent);
    expect(await next.ended(event)).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
    expect((await next.messages('a')).at(-1)?.text).toMatch(/tools had begun:\n- Bash .*make/);
    expect(agent.runs).toBe(1);
  });
});
