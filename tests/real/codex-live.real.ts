import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { codexLive } from '../../src/backends/codex/live/protocol.js';
import { CodexBackend } from '../../src/backends/codex-backend.js';
import type {
  LiveEvent,
  LiveProcess,
  LiveSession,
  LiveSessionOptions,
  PermissionAnswer,
} from '../../src/backends/live/types.js';
import { type LabHome, makeHome } from '../../src/lab/home.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { installedCli } from './installed-cli.js';

let model: ScriptedModel;
let home: LabHome;
let shared: LiveProcess;
const opened: LiveSession[] = [];

beforeAll(async () => {
  model = await startScriptedModel();
  home = await makeHome('codex', model.url);
  shared = await startCodex();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((session) => session.close()));
  model.use(['ok']);
  model.forget();
});
afterAll(async () => {
  await shared.end();
  await model.close();
  await home.remove();
});

describe('a conversation (S4)', () => {
  it('has three turns, each with the history before it', async () => {
    const session = await open();
    model.use(['The first.', 'The second.', 'The third.']);
    expect(await answer(session, 'one')).toBe('The first.');
    expect(await answer(session, 'two')).toBe('The second.');
    const events = await run(session, 'three');
    expect(events[0]).toMatchObject({ type: 'session', sessionId: session.sessionId, backend: 'codex' });
    expect(endingOf(events)).toEqual({ type: 'answered', stopReason: 'end_turn', text: 'The third.' });
    for (const text of ['one', 'The first.', 'two', 'The second.']) expect(history()).toContain(text);
  });

  it('tells the text piece by piece, while the model writes', async () => {
    const session = await open();
    model.use([{ steps: [{ text: ['one ', 'two ', 'three'], delayMs: 150 }] }]);
    const seen: { text: string; at: number }[] = [];
    for await (const event of session.turn('count')) {
      if (event.type === 'text') seen.push({ text: event.text, at: performance.now() });
    }
    expect(seen.map(({ text }) => text)).toEqual(['one ', 'two ', 'three']);
    expect((seen[2]?.at ?? 0) - (seen[0]?.at ?? 0)).toBeGreaterThan(200);
  });

  it('tells thoughts, and the usage of this turn only', async () => {
    const session = await open();
    await run(session, 'before');
    model.use([
      { steps: [{ thinking: ['Let me ', 'think.'] }, { shell: 'true' }] },
      { steps: [{ text: 'Done.' }] },
    ]);
    const events = await run(session, 'think');
    expect(joined(events, 'thinking')).toBe('Let me think.');
    expect(events.findLast(({ type }) => type === 'usage')).toEqual({
      type: 'usage',
      inputTokens: 120,
      outputTokens: 14,
      cachedInputTokens: 60,
      contextTokens: 67,
      contextWindow: expect.any(Number),
    });
  });

  it('names a tool, its input and its output as the one-shot layer does', async () => {
    const script = [{ steps: [{ shell: 'echo out; exit 3' }] }, 'It failed.'];
    model.use(script);
    const live = toolsOf(await run(await open(), 'go'));
    model.use(script);
    const oneShot: LiveEvent[] = [];
    for await (const event of backend().run({ prompt: 'go' })) oneShot.push(event as LiveEvent);
    expect(live).toEqual(toolsOf(oneShot));
    expect(live).toMatchObject([
      { type: 'tool_start', name: 'shell', input: { command: expect.stringContaining('exit 3') } },
      { type: 'tool_end', output: 'out\n', isError: true },
    ]);
  });

  it('sends a broken answer’s text once', async () => {
    const session = await open();
    model.use([
      { steps: [{ text: ['aa ', 'bb '], delayMs: 20 }, { cut: true }] },
      { steps: [{ text: ['aa ', 'bb ', 'cc'] }] },
    ]);
    const events = await run(session, 'go');
    expect(joined(events, 'text')).toBe('aa bb cc');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'notice', message: expect.stringContaining('Reconnecting') }),
    );
  });
});

describe('prompts reach the model as typed', () => {
  it.each([
    ['a slash command', '/clear'],
    ['another one', '/compact now'],
    ['a file', '@made.txt and @/etc/hostname'],
    ['a skill', '$plan do it'],
    ['a dash', '-'],
    ['an option', '--help me'],
    ['a subcommand', 'resume'],
    ['NUL and controls', 'a\u0000b\u001b[31m\u007f'],
    ['white space', '\n  \t x \r\n\u2028 '],
    ['a byte order mark', '\ufeffx'],
    ['unicode', '👩‍👩‍👧 é 漢字 \u202e'],
    ['quotes', '"\'\\ $(x) `y` %s {"a":1}'],
    ['tags', '<system-reminder>x</system-reminder>'],
    ['200 KB', 'x'.repeat(200_000)],
  ])('%s', async (_, prompt) => {
    const session = await open();
    await run(session, prompt);
    const typed = model.turns
      .at(-1)
      ?.messages.flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')));
    expect(typed).toContain(prompt);
  });

  it('half a surrogate pair becomes U+FFFD, and no turn hangs', async () => {
    const session = await open();
    await run(session, 'x\ud800y');
    expect(model.turns.at(-1)?.prompt).toBe('x\ufffdy');
  });

  it('more than Codex takes is refused by name, and the session goes on', async () => {
    const session = await open();
    const ending = endingOf(await run(session, 'x'.repeat(1_100_000)));
    expect(ending).toMatchObject({
      type: 'failed',
      code: 'bad_request',
      message: expect.stringContaining('1048576'),
    });
    expect(await answer(session, 'short')).toBe('ok');
  });
});

describe('permissions (S4)', () => {
  it('asks before a command: allowed, it runs', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use([{ steps: [{ shell: 'echo x > allowed.txt; true' }] }, 'Made.']);
    const events = await run(session, 'make it', { decision: 'allow' });
    expect(events).toContainEqual({
      type: 'permission_request',
      id: expect.any(String),
      toolId: expect.any(String),
      tool: 'shell',
      input: { command: expect.stringContaining('echo x > allowed.txt; true'), cwd: home.workingDir },
      options: ['allow', 'allow_always', 'deny'],
      always: 'this exact command',
    });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'permission_resolved', decision: 'allow' }),
    );
    expect(inWork('allowed.txt')).toBe(true);
  });

  it('denied, it does not run, and the model is told why', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use([{ steps: [{ shell: 'touch denied.txt' }] }, 'As you wish.']);
    const events = await run(session, 'make it', { decision: 'deny', message: 'Use a branch instead.' });
    expect(inWork('denied.txt')).toBe(false);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_end', isError: true, output: 'declined' }),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: 'permission_resolved', decision: 'deny' }));
    expect(endingOf(events)).toMatchObject({ type: 'answered', text: 'As you wish.' });
    expect(model.turns.at(-1)?.toolResults.length).toBe(0);
    expect(history()).toContain('rejected by user');
    expect(history()).toContain('Use a branch instead.');
  });

  it('allowed for ever, the same command asks no more', async () => {
    const session = await open({ permissionMode: 'ask' });
    const script = [{ steps: [{ shell: 'touch always.txt' }] }, 'Made.'];
    model.use(script);
    expect(asks(await run(session, 'make it', { decision: 'allow_always' }))).toBe(1);
    model.use(script);
    expect(asks(await run(session, 'again'))).toBe(0);
  });

  it('a patch asks in `ask` and not in `edits`, where a command still does', async () => {
    const patch = (name: string) => [
      { steps: [{ writeFile: { path: join(home.workingDir, name), content: 'x\n' } }] },
      'Written.',
    ];
    const asking = await open({ permissionMode: 'ask' });
    model.use(patch('ask.txt'));
    const events = await run(asking, 'write', { decision: 'deny' });
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'permission_request',
        tool: 'apply_patch',
        input: { changes: [{ path: join(home.workingDir, 'ask.txt'), kind: 'add', diff: 'x\n' }] },
      }),
    );
    expect(inWork('ask.txt')).toBe(false);
    const editing = await open({ permissionMode: 'edits' });
    model.use(patch('edits.txt'));
    expect(asks(await run(editing, 'write'))).toBe(0);
    expect(inWork('edits.txt')).toBe(true);
    model.use([
      { steps: [{ writeFile: { path: join(home.directory, 'outside.txt'), content: 'x\n' } }] },
      'Written.',
    ]);
    expect(asks(await run(editing, 'write outside', { decision: 'deny' }))).toBe(1);
    expect(existsSync(join(home.directory, 'outside.txt'))).toBe(false);
    model.use([{ steps: [{ shell: 'touch command.txt' }] }, 'Made.']);
    expect(asks(await run(editing, 'make', { decision: 'deny' }))).toBe(1);
  });

  it('a sub-agent asks in the turn that began it', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use(({ messages, toolResults }) => {
      const ofChild = JSON.stringify(messages).includes('"agent_message"');
      if (ofChild) return toolResults.length > 0 ? 'Done.' : { steps: [{ shell: 'touch by-child.txt' }] };
      if (toolResults.length > 0) return { steps: [{ wait: 1500 }, { text: 'All done.' }] };
      return { steps: [{ tool: 'spawn_agent', input: { message: 'Do it.', task_name: 'kid' } }] };
    });
    const events = await run(session, 'delegate', { decision: 'allow' });
    expect(asks(events)).toBe(1);
    expect(joined(events, 'text')).toBe('All done.');
    expect(inWork('by-child.txt')).toBe(true);
  });

  it('plan only reads, and asks nobody', async () => {
    const session = await open({ permissionMode: 'plan' });
    model.use([{ steps: [{ shell: 'touch planned.txt; ls' }] }, 'Read.']);
    const events = await run(session, 'look');
    expect(asks(events)).toBe(0);
    expect(inWork('planned.txt')).toBe(false);
    expect(endingOf(events)).toMatchObject({ type: 'answered' });
  });

  it('the mode and the model can be changed between turns', async () => {
    const session = await open({ permissionMode: 'plan' });
    await run(session, 'plan');
    await session.setPermissionMode?.('bypass');
    await session.setModel?.('other-model');
    model.use([{ steps: [{ shell: 'touch switched.txt' }] }, 'Made.']);
    await run(session, 'do');
    expect(inWork('switched.txt')).toBe(true);
    expect(model.turns.at(-1)?.model).toBe('other-model');
    await session.setPermissionMode?.('ask');
    model.use([{ steps: [{ shell: 'touch asked.txt' }] }, 'Made.']);
    expect(asks(await run(session, 'ask', { decision: 'deny' }))).toBe(1);
    expect(model.turns.at(-1)?.model).toBe('other-model');
  });

  it('an MCP tool asks under its one-shot name', async () => {
    const session = await open({ permissionMode: 'ask', mcpConfig: mcpConfig() });
    const script = [{ steps: [{ tool: 'mcp__echo__ping', input: { x: '1' } }] }, 'Pinged.'];
    model.use(script);
    const events = await run(session, 'ping', { decision: 'allow_always' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'permission_request', tool: 'echo.ping', input: { x: '1' } }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_end', output: 'pong 1', isError: false }),
    );
    model.use(script);
    expect(asks(await run(session, 'again'))).toBe(0);
  });
});

describe('an interrupt (S4)', () => {
  it('in the middle of the text ends the turn, and the next one is a good one', async () => {
    const session = await open();
    model.use([{ steps: [{ text: ['one ', 'two ', 'three ', 'four'], delayMs: 300 }] }, 'Fine.']);
    const events: LiveEvent[] = [];
    for await (const event of session.turn('count')) {
      events.push(event);
      if (event.type === 'text') await session.interrupt();
    }
    expect(endingOf(events)).toMatchObject({ type: 'failed', code: 'interrupted' });
    const next = await run(session, 'again');
    expect(joined(next, 'text')).toBe('Fine.');
  });

  it('before the turn has begun works too', async () => {
    // Codex refuses to interrupt a turn that it has accepted but not yet begun.
    const session = await open();
    model.use([{ steps: [{ hang: true }] }]);
    for (const delayMs of [undefined, 0, 1, 2, 4, 8, 16]) {
      const turn = session.turn('go')[Symbol.asyncIterator]();
      const first = turn.next();
      if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs));
      await session.interrupt();
      const events = [(await first).value as LiveEvent];
      for (let next = await turn.next(); !next.done; next = await turn.next()) events.push(next.value);
      expect(endingOf(events)).toMatchObject({ code: 'interrupted' });
    }
  });

  it('while a tool runs ends the tool, and nothing of it gets into the next turn', async () => {
    const session = await open();
    model.use([{ steps: [{ shell: 'echo $$ > pid.txt; sleep 300' }] }, 'Fine.']);
    const events: LiveEvent[] = [];
    for await (const event of session.turn('sleep')) {
      events.push(event);
      if (event.type === 'tool_start') {
        await until(() => inWork('pid.txt') && readFileSync(join(home.workingDir, 'pid.txt'), 'utf8') !== '');
        await session.interrupt();
      }
    }
    expect(endingOf(events)).toMatchObject({ code: 'interrupted' });
    const pid = Number(readFileSync(join(home.workingDir, 'pid.txt'), 'utf8'));
    await until(() => !isAlive(pid));
    const next = await run(session, 'again');
    expect(next.map(({ type }) => type)).not.toContain('tool_end');
    expect(endingOf(next)).toMatchObject({ type: 'answered', text: 'Fine.' });
  });

  it('takes back a question that nobody has answered', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use([{ steps: [{ shell: 'touch never.txt' }] }]);
    const events: LiveEvent[] = [];
    for await (const event of session.turn('go')) {
      events.push(event);
      if (event.type === 'permission_request') await session.interrupt();
    }
    expect(events).toContainEqual(expect.objectContaining({ type: 'permission_resolved', decision: 'deny' }));
    expect(endingOf(events)).toMatchObject({ code: 'interrupted' });
    expect(inWork('never.txt')).toBe(false);
  });

  it('a reader who leaves stops the turn; the next one waits for its end', async () => {
    const session = await open();
    model.use([{ steps: [{ text: ['one ', 'two ', 'three'], delayMs: 400 }] }, 'Fine.']);
    for await (const event of session.turn('count')) if (event.type === 'text') break;
    const next = await run(session, 'again');
    expect(joined(next, 'text')).toBe('Fine.');
  });
});

describe('sessions (S4)', () => {
  it('two in one process at once do not mix, and one’s trouble is not the other’s', async () => {
    const [a, b] = await Promise.all([open(), open()]);
    model.use(({ prompt }) =>
      prompt === 'A'
        ? { steps: [{ text: ['a1 ', 'a2 ', 'a3'], delayMs: 100 }] }
        : { status: 400, message: 'no' },
    );
    const [first, second] = await Promise.all([run(a, 'A'), run(b, 'B')]);
    expect(joined(first, 'text')).toBe('a1 a2 a3');
    expect(endingOf(first)).toMatchObject({ type: 'answered', text: 'a1 a2 a3' });
    expect(endingOf(second)).toMatchObject({ type: 'failed', code: 'bad_request' });
    expect(joined(second, 'text')).toBe('');
  });

  it('a resumed one has its history and the new system prompt, in the same process and in another one', async () => {
    const session = await open({ systemPrompt: 'SYSTEM-ONE' });
    await run(session, 'remember the word kumquat');
    expect(model.turns.at(-1)?.system).toContain('SYSTEM-ONE');
    await session.close();
    const same = await open({ sessionId: session.sessionId, systemPrompt: 'SYSTEM-ONE' });
    await run(same, 'still there?');
    expect(history()).toContain('kumquat');
    expect(model.turns.at(-1)?.system.split('SYSTEM-ONE')).toHaveLength(2);
    await same.close();
    const other = await startCodex();
    try {
      const again = await other.open(options({ sessionId: session.sessionId, systemPrompt: 'SYSTEM-TWO' }));
      expect(again.sessionId).toBe(session.sessionId);
      await run(again, 'and now?');
      expect(history()).toContain('kumquat');
      expect(model.turns.at(-1)?.system).toContain('SYSTEM-TWO');
      await run(again, 'and then?');
      expect(model.turns.at(-1)?.system.split('SYSTEM-TWO')).toHaveLength(2);
      expect(model.turns.at(-1)?.prompt).toBe('and then?');
    } finally {
      await other.end();
    }
  });

  it('an open one can’t be opened twice', async () => {
    const session = await open();
    await run(session, 'hello');
    await expect(open({ sessionId: session.sessionId })).rejects.toMatchObject({ code: 'bad_request' });
  });

  it.each(['11111111-1111-4111-8111-111111111111', 'no-such-name', '-x'])(
    '%s is not found',
    async (sessionId) => {
      await expect(open({ sessionId })).rejects.toMatchObject({ code: 'session_not_found' });
      expect(await answer(await open(), 'still fine')).toBe('ok');
    },
  );

  it('a directory that is not there is refused', async () => {
    await expect(open({ cwd: '/no/such/directory' })).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('failures', () => {
  it.each([
    [401, 'auth'],
    [403, 'auth'],
    [404, 'bad_request'],
    [429, 'rate_limit'],
    [500, 'overloaded'],
    [503, 'overloaded'],
  ])('HTTP %i is %s, and the next turn is a good one', async (status, code) => {
    const session = await open();
    model.use([{ status, message: 'scripted trouble' }]);
    expect(endingOf(await run(session, 'go'))).toMatchObject({ type: 'failed', code });
    model.use(['ok']);
    expect(await answer(session, 'again')).toBe('ok');
  });

  it('a usage limit says when it ends', async () => {
    const session = await open();
    const error = { type: 'usage_limit_reached', message: 'x', plan_type: 'plus', resets_at: 1_999_999_999 };
    model.use([{ status: 429, body: JSON.stringify({ error }) }]);
    const ending = endingOf(await run(session, 'go'));
    expect(ending).toMatchObject({ code: 'rate_limit', message: expect.stringContaining('2033') });
  });

  it('a refused connection is told, and can be interrupted', async () => {
    const session = await open();
    await model.refuse(async () => {
      const events: LiveEvent[] = [];
      for await (const event of session.turn('go')) {
        events.push(event);
        if (event.type === 'notice' && /network/i.test(event.message)) await session.interrupt();
      }
      expect(endingOf(events)).toMatchObject({ code: 'interrupted' });
    });
    expect(await answer(session, 'again')).toBe('ok');
  });
});

describe('the process', () => {
  it('starts beside others in a home that has no database yet', async () => {
    const fresh = await makeHome('codex', model.url);
    try {
      const started = await Promise.all([1, 2, 3].map(() => startCodex(fresh)));
      for (const each of started) {
        const session = await each.open(options({ cwd: fresh.workingDir }));
        expect(await answer(session, 'hello')).toBe('ok');
      }
      await Promise.all(started.map((each) => each.end()));
    } finally {
      await fresh.remove();
    }
  });

  it('killed in the middle of a turn ends that turn as crashed, within a second, and its tools with it', async () => {
    const process_ = await startCodex();
    try {
      const session = await process_.open(options());
      model.use([{ steps: [{ shell: 'echo $$ > killed.txt; sleep 300' }] }]);
      const events: LiveEvent[] = [];
      let killedAt = 0;
      for await (const event of session.turn('go')) {
        events.push(event);
        if (event.type === 'tool_start') {
          await until(
            () => inWork('killed.txt') && readFileSync(join(home.workingDir, 'killed.txt'), 'utf8') !== '',
          );
          killedAt = performance.now();
          process.kill(process_.pid, 'SIGKILL');
        }
      }
      expect(performance.now() - killedAt).toBeLessThan(1000);
      expect(endingOf(events)).toMatchObject({
        type: 'failed',
        code: 'crashed',
        message: expect.stringContaining('SIGKILL'),
      });
      const pid = Number(readFileSync(join(home.workingDir, 'killed.txt'), 'utf8'));
      await until(() => !isAlive(pid));
      expect(endingOf(await run(session, 'again'))).toMatchObject({ code: 'crashed' });
      await expect(process_.open(options())).rejects.toMatchObject({ code: 'crashed' });
    } finally {
      await process_.end();
    }
  });

  it('ended, it is gone', async () => {
    const process_ = await startCodex();
    await run(await process_.open(options()), 'hello');
    const began = performance.now();
    await process_.end();
    expect(performance.now() - began).toBeLessThan(1500);
    expect(isAlive(process_.pid)).toBe(false);
    expect((await process_.exited).code).not.toBeUndefined();
  });

  it('that can’t start says why', async () => {
    const context = { command: process.execPath, env: home.env, scratch: join(home.directory, 'scratch') };
    await expect(codexLive.start(options(), context)).rejects.toMatchObject({ code: 'crashed' });
    await expect(codexLive.start(options(), { ...context, command: '/no/such/codex' })).rejects.toMatchObject(
      {
        code: 'not_installed',
      },
    );
  });
});

function backend(): CodexBackend {
  return new CodexBackend({
    cliPath: installedCli('codex'),
    workingDir: home.workingDir,
    queryTimeoutMs: 30_000,
    allowedTools: [],
    maxTurns: 25,
    env: home.env,
  });
}

async function startCodex(place = home): Promise<LiveProcess> {
  const { command, env } = await backend().locate();
  const suite = process.env['TURNOUT_SUITE'];
  return codexLive.start(options(), {
    command,
    env: { ...place.env, ...env, ...(suite === undefined ? {} : { TURNOUT_SUITE: suite }) },
    scratch: join(place.directory, 'scratch'),
  });
}

function options(some: Partial<LiveSessionOptions> = {}): LiveSessionOptions {
  return {
    cwd: home.workingDir,
    systemPrompt: '',
    permissionMode: 'bypass',
    allowedTools: [],
    disallowedTools: [],
    ...some,
  };
}

async function open(some: Partial<LiveSessionOptions> = {}): Promise<LiveSession> {
  const session = await shared.open(options(some));
  opened.push(session);
  return session;
}

async function run(
  session: LiveSession,
  prompt: string,
  permission?: PermissionAnswer,
): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of session.turn(prompt)) {
    events.push(event);
    if (event.type === 'permission_request' && permission !== undefined) {
      await session.answerPermission(event.id, permission);
    }
  }
  expect(events.filter(({ type }) => type === 'ending')).toHaveLength(1);
  return events;
}

async function answer(session: LiveSession, prompt: string): Promise<string | undefined> {
  const ending = endingOf(await run(session, prompt));
  return ending?.type === 'answered' ? ending.text : ending?.message;
}

function endingOf(events: readonly LiveEvent[]) {
  const last = events.at(-1);
  return last?.type === 'ending' ? last.ending : undefined;
}

function joined(events: readonly LiveEvent[], type: 'text' | 'thinking'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('');
}

function asks(events: readonly LiveEvent[]): number {
  return events.filter(({ type }) => type === 'permission_request').length;
}

function toolsOf(events: readonly LiveEvent[]): readonly unknown[] {
  return events
    .filter(({ type }) => type === 'tool_start' || type === 'tool_end')
    .map((event) => ({ ...event, id: 'any' }));
}

function history(): string {
  return JSON.stringify(model.turns.at(-1)?.messages);
}

function inWork(name: string): boolean {
  return existsSync(join(home.workingDir, name));
}

/** A server with one tool, `ping`, and the file that names it. */
function mcpConfig(): string {
  const server = join(home.directory, 'mcp.mjs');
  writeFileSync(
    server,
    `import { createInterface } from 'node:readline';
    const answers = {
      initialize: ({ protocolVersion }) => ({
        protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } }),
      'tools/list': () => ({ tools: [{ name: 'ping', description: 'ping', inputSchema: { type: 'object' } }] }),
      'tools/call': ({ arguments: { x } }) => ({ content: [{ type: 'text', text: 'pong ' + x }] }),
    };
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method, params } = JSON.parse(line);
      const result = answers[method]?.(params) ?? {};
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }`,
  );
  const config = join(home.directory, 'mcp.json');
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: { echo: { command: process.execPath, args: [server] } } }),
  );
  return config;
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 20) {
    if (waited > 5000) throw new Error(`Waited in vain: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
