import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ClaudeCodeBackend } from '../../../src/backends/claude-backend.js';
import { demoAgent, eventually, type GatewayStage, setUpGateway } from '../stage.js';

const init = `echo '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}'`;
const result = `echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s-1"}'`;

/** A CLI with Claude's output, which notes each of its runs and does as the lines of shell say. */
function agent(stage: GatewayStage, script: string): string {
  const path = join(stage.root, 'agent.sh');
  writeFileSync(path, `#!/bin/sh\necho run >> "${stage.root}/runs"\n${script}\n`, { mode: 0o755 });
  return path;
}

function runs(stage: GatewayStage): number {
  return readFileSync(join(stage.root, 'runs'), 'utf8').split('\n').length - 1;
}

describe('a one-shot CLI that fails without a reason (R10)', () => {
  const crashes = {
    'says nothing': 'exit 1',
    'prints a stack trace': `printf 'agent.js:3\\nTypeError: x is not a function\\n    at main (agent.js:3:7)\\n' >&2; exit 1`,
    'has begun its output': `${init}; exit 1`,
  };

  it.each(Object.entries(crashes))('is run again when it %s', async (_how, crash) => {
    const stage = setUpGateway({ RETRY_DELAY_MS: '20' });
    const cli = agent(
      stage,
      `[ $(wc -l < "${stage.root}/runs") -gt 2 ] || { ${crash}; }\n${init}\n${result}`,
    );
    const client = await stage.start({ BACKEND_CLI_PATH: cli });
    expect(await client.ask('a', 'hello')).toMatchObject({
      state: 'answered',
      responseText: 'done',
      attempts: 3,
    });
  });

  it('is not run again when it says by itself that the turn failed', async () => {
    const stage = setUpGateway({ RETRY_DELAY_MS: '20' });
    const failed = `{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns (2)"],"session_id":"s-1"}`;
    const client = await stage.start({ BACKEND_CLI_PATH: agent(stage, `echo '${failed}'; exit 1`) });
    expect(await client.ask('a', 'hello')).toMatchObject({
      state: 'failed',
      attempts: 1,
      error: { code: 'unknown' },
    });
  });
});

describe('a CLI that is not there for a moment (R10)', () => {
  it.each(['0', '1'])('is tried again, as while it is updated (live: %s)', async (live) => {
    const stage = setUpGateway({ RETRY_DELAY_MS: '20', BACKEND_LIVE: live });
    const cli = join(stage.root, 'agent.sh');
    writeFileSync(cli, `#!/bin/sh\nexec "${demoAgent}" "$@"\n`, { mode: 0o755 });
    const client = await stage.start({ BACKEND_CLI_PATH: cli });
    renameSync(cli, `${cli}.away`);
    const event = await client.post('a', 'say exactly: back again');
    await eventually(async () => (await client.event(event)).attempts > 0);
    await client.until(event, 'queued');
    renameSync(`${cli}.away`, cli);
    expect(await client.ended(event)).toMatchObject({ state: 'answered', responseText: 'back again' });
  });

  it('is given up after three retries, with what to do', async () => {
    const stage = setUpGateway({ RETRY_DELAY_MS: '20' });
    const cli = agent(stage, result);
    const client = await stage.start({ BACKEND_CLI_PATH: cli });
    renameSync(cli, `${cli}.away`);
    expect(await client.ask('a', 'hello')).toMatchObject({
      state: 'failed',
      attempts: 4,
      error: {
        code: 'not_installed',
        message: expect.stringMatching(/agent\.sh.*npm install -g @anthropic-ai\/claude-code/s),
      },
    });
  });
});

describe('/backend with a CLI that is not installed', () => {
  it('advises nothing that would break the one that answers', async () => {
    const stage = setUpGateway();
    const empty = join(stage.root, 'bin');
    mkdirSync(empty);
    const client = await stage.start({ PATH: empty });
    const { responseText } = await client.ask('a', '/backend codex');
    expect(responseText).toMatch(
      /claude goes on answering.*npm install -g @openai\/codex@\d+\.\d+\.\d+`, or put it on the PATH/s,
    );
    expect(responseText).not.toContain('BACKEND_CLI_PATH');
  });
});

describe('a one-shot CLI that answers and does not exit', () => {
  const hanging = `trap 'exit 3' TERM\n${init}\n${result}\nwhile :; do sleep 0.05; done`;

  it('has answered: the turn is not run again', async () => {
    const stage = setUpGateway({ RETRY_DELAY_MS: '20' });
    const config = { workingDir: stage.work, queryTimeoutMs: 60_000, allowedTools: [], maxTurns: 5 };
    const cliPath = agent(stage, hanging);
    const client = await stage.start({}, new ClaudeCodeBackend({ ...config, cliPath, exitGraceMs: 300 }));
    expect(await client.ask('a', 'hello')).toMatchObject({
      state: 'answered',
      responseText: 'done',
      attempts: 1,
    });
    expect(runs(stage)).toBe(1);
  });

  it('also when its time is up before', async () => {
    const stage = setUpGateway({ RETRY_DELAY_MS: '20', QUERY_TIMEOUT_MS: '4000' });
    const client = await stage.start({ BACKEND_CLI_PATH: agent(stage, hanging) });
    expect(await client.ask('a', 'hello')).toMatchObject({ state: 'answered', attempts: 1 });
    expect(runs(stage)).toBe(1);
  });
});
