import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { installSdk } from '../../scripts/install-cli.js';
import type { RunRequest, SpawnedCommand } from '../../src/backends/types.js';
import type { ChatEvent } from '../../src/core/chat-event.js';
import { readCommandLine } from '../../src/process/read-proc.js';
import { codexSdkAdapter } from '../../src/runner/codex-sdk.js';
import { processesOf, setUpLab } from './set-up-lab.js';

const server = fileURLToPath(new URL('../fixtures/mcp/ping-server.mjs', import.meta.url));

describe('codex over the vendor’s SDK', () => {
  const lab = setUpLab('codex');
  const sdk = installSdk('@openai/codex-sdk');

  const adapter = (config = lab.config) => codexSdkAdapter(config, [join(sdk, 'package.json')]);
  const turn = (request: Partial<RunRequest> = {}, signal?: AbortSignal) =>
    collect(adapter().run({ prompt: 'hi', ...request }, { signal }));

  it('gives the events of a turn, and goes on with its session (O2)', async () => {
    lab.model.use([{ steps: [{ thinking: 'hm' }, { text: 'Hello.' }] }]);
    const events = await turn();
    const { sessionId } = events.find((event) => event.type === 'session') ?? {};
    expect(events).toMatchObject([
      { type: 'session', backend: 'codex-sdk' },
      { type: 'thinking_start' },
      { type: 'thinking' },
      { type: 'thinking_end' },
      { type: 'text', text: 'Hello.' },
      { type: 'usage', inputTokens: 60, outputTokens: 7 },
      { type: 'complete', text: 'Hello.', sessionId, stopReason: 'end_turn' },
    ]);
    lab.model.use(['Again.']);
    expect((await turn({ prompt: 'more', sessionId })).at(-1)).toMatchObject({ text: 'Again.', sessionId });
    expect(lab.model.turns.at(-1)?.rawBody).toContain('Hello.');
    expect((await turn({ continueLast: true })).at(-1)).toMatchObject({ type: 'complete', sessionId });
    expect(processesOf(lab.home)).toEqual([]);
  });

  it('passes the system prompt, the model, the thinking, the directory and a long prompt on (O3)', async () => {
    lab.model.use([{ steps: [{ shell: 'pwd > where.txt' }] }, 'Done.']);
    lab.model.forget();
    const prompt = `--help\n${'x'.repeat(300_000)} the end`;
    const events = await turn({ prompt, systemPrompt: 'Be "brief".\n', model: 'gpt-5.4', thinking: 'high' });
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'Done.' });
    const { rawBody, model } = lab.model.turns[0] ?? {};
    expect(model).toBe('gpt-5.4');
    expect(rawBody).toContain('Be \\"brief\\".');
    expect(rawBody).toContain('xxx the end');
    expect(rawBody).toContain('"effort":"high"');
    expect(readFileSync(join(lab.home.workingDir, 'where.txt'), 'utf8').trim()).toBe(lab.home.workingDir);
  });

  it('is planned as it is started by the SDK (O9)', async () => {
    const request = { prompt: 'hi', systemPrompt: 'Be brief.', model: 'm', permissionMode: 'plan' } as const;
    const planned = await adapter().plan(request);
    lab.model.use([{ steps: [{ hang: true }] }]);
    const started: SpawnedCommand[] = [];
    for await (const event of adapter().run(request, { onSpawn: (command) => started.push(command) })) {
      if (event.type !== 'session') continue;
      const [codex] = processesOf(lab.home);
      const words = readCommandLine(codex?.pid ?? 0);
      expect(words).toBe([planned.command, ...planned.args].join(' '));
      break;
    }
    expect(started).toMatchObject([{ command: planned.command, args: planned.args, cwd: planned.cwd }]);
    expect(processesOf(lab.home)).toEqual([]);
  });

  it('gives the model the tools of MCP servers (O8)', async () => {
    const mcpConfig = join(lab.home.directory, 'mcp.json');
    const echo = { type: 'stdio', command: process.execPath, args: [server], env: { MARK: 'a "b"' } };
    writeFileSync(mcpConfig, JSON.stringify({ mcpServers: { echo } }));
    lab.model.use([{ steps: [{ tool: 'mcp__echo__ping', input: { x: 'seven' } }] }, 'Pinged.']);
    const events = await turn({ mcpConfig });
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'Pinged.' });
    expect(events.find((event) => event.type === 'tool_end')).toMatchObject({
      output: expect.stringContaining('pong seven env=a "b"'),
    });
  });

  it.each<[how: string, code: string]>([
    ['an abort', 'interrupted'],
    ['a time-out', 'timeout'],
    ['a reader that leaves', 'left'],
  ])('%s ends Codex with all that it has started', async (how, code) => {
    const ready = join(lab.home.workingDir, `ready-${code}`);
    const tool = `setsid sleep 300 & (setsid -f sleep 301); touch ${ready}; sleep 302`;
    lab.model.use([{ steps: [{ shell: tool }] }]);
    const stop = new AbortController();
    const options = how === 'an abort' ? { signal: stop.signal } : {};
    const limit = how === 'a time-out' ? { timeoutMs: 4000 } : {};
    const events: ChatEvent[] = [];
    for await (const event of adapter().run({ prompt: 'sleep', ...limit }, options)) {
      events.push(event);
      if (event.type !== 'tool_start') continue;
      await vi.waitFor(() => expect(existsSync(ready)).toBe(true), 10_000);
      expect(processesOf(lab.home).length).toBeGreaterThan(3);
      if (how === 'an abort') stop.abort();
      if (how === 'a reader that leaves') break;
    }
    expect(processesOf(lab.home)).toEqual([]);
    if (code !== 'left') expect(events.at(-1)).toMatchObject({ type: 'error', code });
  });

  it('what a finished turn leaves running is ended, and nothing of ours is', async () => {
    lab.model.use([{ steps: [{ shell: '(setsid -f sleep 300) & sleep 0.1; echo left' }] }, 'Done.']);
    expect((await turn()).at(-1)).toMatchObject({ type: 'complete', text: 'Done.' });
    expect(processesOf(lab.home)).toEqual([]);
  });

  it('tells failures in the words and codes of the CLI', async () => {
    lab.model.use([{ status: 401, message: 'invalid key' }]);
    expect((await turn()).at(-1)).toMatchObject({ type: 'error', code: 'auth' });
    const unknown = '11111111-1111-4111-8111-111111111111';
    expect((await turn({ sessionId: unknown })).at(-1)).toMatchObject({
      type: 'error',
      code: 'session_not_found',
    });
    lab.model.use([{ steps: [{ hang: true }] }]);
    const events: ChatEvent[] = [];
    for await (const event of adapter().run({ prompt: 'hi' })) {
      events.push(event);
      if (event.type === 'session') process.kill(processesOf(lab.home)[0]?.pid ?? 0, 'SIGKILL');
    }
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      code: 'crashed',
      message: expect.stringContaining('SIGKILL'),
    });
  });

  it('a session of the library uses it, one turn after the other (O2)', async () => {
    lab.model.use(['One.', 'Two.']);
    const options = { backend: 'codex-sdk', config: lab.config, adapter: adapter() };
    await expect(lab.sessions.open(options)).rejects.toMatchObject({ code: 'unsupported' });
    const session = await lab.sessions.open({ ...options, live: false });
    expect((await collect(session.send('one'))).at(-1)).toMatchObject({ text: 'One.' });
    expect((await collect(session.send('two'))).at(-1)).toMatchObject({ text: 'Two.' });
    expect(lab.model.turns.at(-1)?.rawBody).toContain('One.');
    await session.close();
  });
});

async function collect(events: AsyncIterable<ChatEvent>): Promise<readonly ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
