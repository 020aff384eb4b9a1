import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { geminiLive } from '../../src/backends/gemini/live/protocol.js';
import type {
  LiveEvent,
  LiveProcess,
  LiveSession,
  LiveSessionOptions,
} from '../../src/backends/live/types.js';
import { createBackend } from '../../src/backends/registry.js';
import { type LabHome, makeHome } from '../../src/lab/home.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { installedCli } from './installed-cli.js';

let model: ScriptedModel;
let home: LabHome;
/** The process that most tests share. */
let shared: LiveProcess;
const processes: LiveProcess[] = [];
const sessions: LiveSession[] = [];

beforeAll(async () => {
  model = await startScriptedModel();
  home = await makeHome('gemini', model.url);
  shared = await start();
});
afterEach(async () => {
  model.use(['ok']);
  model.forget();
  await Promise.all(sessions.splice(0).map((session) => session.close()));
});
afterAll(async () => {
  await Promise.all(processes.map((process) => process.end()));
  await model.close();
  await home.remove();
});

const options = (more: Partial<LiveSessionOptions> = {}): LiveSessionOptions => ({
  cwd: home.workingDir,
  model: home.model,
  systemPrompt: '',
  permissionMode: 'bypass',
  allowedTools: [],
  disallowedTools: [],
  ...more,
});

async function start(more: Partial<LiveSessionOptions> = {}): Promise<LiveProcess> {
  const context = {
    command: installedCli('gemini'),
    env: home.env,
    scratch: join(home.directory, 'scratch'),
  };
  const process = await geminiLive.start(options(more), context);
  processes.push(process);
  return process;
}

async function open(more: Partial<LiveSessionOptions> = {}, process = shared): Promise<LiveSession> {
  const session = await process.open(options(more));
  sessions.push(session);
  return session;
}

async function turn(
  session: LiveSession,
  prompt: string,
  onEvent: (event: LiveEvent) => void = () => undefined,
): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of session.turn(prompt)) {
    events.push(event);
    onEvent(event);
  }
  expect(events.filter(({ type }) => type === 'ending')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('ending');
  return events;
}

const said = (events: readonly LiveEvent[]) =>
  events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
const endingOf = (events: readonly LiveEvent[]) => {
  const last = events.at(-1);
  return last?.type === 'ending' ? last.ending : undefined;
};
const ofType = <T extends LiveEvent['type']>(events: readonly LiveEvent[], type: T) =>
  events.filter((event): event is LiveEvent & { type: T } => event.type === type);
const spoken = () =>
  (model.turns.at(-1)?.messages ?? [])
    .map((message) => {
      const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      return `${message.role}: ${texts.at(-1) ?? ''}`;
    })
    .filter((line) => !line.startsWith('system'));

describe('a live Gemini session (S5)', () => {
  it('takes three turns with a history, and says its text piece by piece', async () => {
    const session = await open();
    model.use([{ steps: [{ text: ['one ', 'two ', 'three'], delayMs: 60 }] }, 'second', 'third']);
    const times: number[] = [];
    const first = await turn(
      session,
      'count',
      (event) => event.type === 'text' && times.push(performance.now()),
    );
    expect(said(first)).toEqual(['one ', 'two ', 'three']);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(80);
    expect(first[0]).toMatchObject({ type: 'session', sessionId: session.sessionId, model: home.model });
    expect(ofType(first, 'usage')).toEqual([{ type: 'usage', inputTokens: 60, outputTokens: 5 }]);
    expect(endingOf(first)).toEqual({ type: 'answered', stopReason: 'end_turn' });
    expect(said(await turn(session, 'go on'))).toEqual(['second']);
    expect(said(await turn(session, 'and on'))).toEqual(['third']);
    expect(spoken()).toEqual([
      'user: count',
      'assistant: one two three',
      'user: go on',
      'assistant: second',
      'user: and on',
    ]);
  });

  it('shows what the model thinks', async () => {
    const session = await open();
    model.use([{ steps: [{ thinking: '**Plan** look first' }, { thinking: 'then act' }, { text: 'done' }] }]);
    const events = await turn(session, 'think');
    expect(ofType(events, 'thinking').map(({ text }) => text)).toEqual(['**Plan**\nlook first', 'then act']);
    expect(said(events)).toEqual(['done']);
  });

  it('runs tools without asking in bypass mode, and tells what they printed', async () => {
    const session = await open();
    model.use([
      { steps: [{ shell: 'echo from the tool' }, { writeFile: { path: 'made.txt', content: 'made' } }] },
      { steps: [{ tool: 'read_file', input: { file_path: 'no-such-file.txt' } }] },
      'done',
    ]);
    const events = await turn(session, 'use tools');
    expect(ofType(events, 'permission_request')).toEqual([]);
    expect(ofType(events, 'tool_start').map(({ name, input }) => [name, input])).toEqual([
      ['run_shell_command', { command: 'echo from the tool', dir_path: home.workingDir }],
      ['write_file', { file_path: join(home.workingDir, 'made.txt') }],
      ['read_file', { file_path: join(home.workingDir, 'no-such-file.txt') }],
    ]);
    expect(ofType(events, 'tool_end').map(({ output, isError }) => [output, isError])).toEqual([
      ['from the tool', false],
      [`Created ${join(home.workingDir, 'made.txt')}`, false],
      [expect.stringContaining('File not found'), true],
    ]);
    expect(readFileSync(join(home.workingDir, 'made.txt'), 'utf8')).toBe('made');
  });

  it('resumes in a new process with its history, told its instructions once, and again when they change', async () => {
    const session = await open({ systemPrompt: 'Be brief.' });
    model.use(['first answer', 'second answer', 'third answer', 'fourth answer']);
    await turn(session, 'first');
    expect(userTexts()).toEqual([expect.stringContaining('Be brief.'), 'first']);
    await turn(session, 'second');
    expect(userTexts()).toEqual(['second']);

    const other = await start();
    const resumed = await open({ sessionId: session.sessionId, systemPrompt: 'Be brief.' }, other);
    expect(resumed.sessionId).toBe(session.sessionId);
    const events = await turn(resumed, 'third');
    expect(said(events)).toEqual(['third answer']);
    expect(userTexts()).toEqual(['third']);
    expect(spoken()).toEqual([
      'user: first',
      'assistant: first answer',
      'user: second',
      'assistant: second answer',
      'user: third',
    ]);

    const changed = await open({ sessionId: session.sessionId, systemPrompt: 'Be verbose.' }, other);
    await turn(changed, 'fourth');
    expect(userTexts()).toEqual([expect.stringContaining('Be verbose.'), 'fourth']);
    expect(spoken()).toHaveLength(7);
    await other.end();
  });

  it('loads a long history to its end before the next turn', async () => {
    const session = await open();
    const long = Array.from({ length: 3000 }, (_, index) => `word${index}`).join(' ');
    model.use([long]);
    for (let count = 0; count < 12; count++) await turn(session, `${count} ${long}`);
    const resumed = await open({ sessionId: session.sessionId });
    model.use(['after']);
    expect(said(await turn(resumed, 'next'))).toEqual(['after']);
    expect(spoken()).toHaveLength(25);
  });

  it.each(['11111111-1111-4111-8111-111111111111', 'latest', '1', '../../etc'])(
    'knows no session %s',
    async (sessionId) => {
      await expect(open({ sessionId })).rejects.toMatchObject({ code: 'session_not_found' });
    },
  );

  it('keeps two sessions of one process apart while both run', async () => {
    const [one, two] = [await open(), await open({ systemPrompt: 'Second.' })];
    model.use((request) => ({
      steps: [{ text: request.prompt === 'to one' ? ['a', 'b', 'c'] : ['x', 'y', 'z'], delayMs: 20 }],
    }));
    const [first, second] = await Promise.all([turn(one, 'to one'), turn(two, 'to two')]);
    expect(said(first)).toEqual(['a', 'b', 'c']);
    expect(said(second)).toEqual(['x', 'y', 'z']);

    // One that fails and one that is interrupted are nothing to a third.
    const three = await open();
    model.use(({ prompt }) =>
      prompt === 'fail'
        ? { status: 401 }
        : { steps: [{ text: ['slow ', 'answer'], delayMs: 150 }, { wait: prompt === 'stop' ? 5000 : 0 }] },
    );
    const [failed, stopped, fine] = await Promise.all([
      turn(one, 'fail'),
      turn(two, 'stop', (event) => event.type === 'text' && void two.interrupt()),
      turn(three, 'go'),
    ]);
    expect(endingOf(failed)).toMatchObject({ type: 'failed', code: 'auth' });
    expect(endingOf(stopped)).toMatchObject({ type: 'failed', code: 'interrupted' });
    expect(said(fine)).toEqual(['slow ', 'answer']);
  });

  it('reaches the API with another model', async () => {
    const session = await open();
    await turn(session, 'one');
    expect(model.turns.at(-1)?.model).toBe('gemini-2.5-flash');
    await session.setModel?.('gemini-2.5-pro');
    const events = await turn(session, 'two');
    expect(model.turns.at(-1)?.model).toBe('gemini-2.5-pro');
    expect(events[0]).toMatchObject({ type: 'session', model: 'gemini-2.5-pro' });
  });

  it('offers the tools of an MCP server of this session', async () => {
    const file = join(home.directory, 'mcp.json');
    writeFileSync(join(home.directory, 'echo.mjs'), echoServer);
    const server = {
      command: process.execPath,
      args: [join(home.directory, 'echo.mjs')],
      env: { MARK: 'm6' },
    };
    writeFileSync(file, JSON.stringify({ mcpServers: { echo: server } }));
    const session = await open({ mcpConfig: file });
    model.use([{ steps: [{ tool: 'mcp_echo_ping', input: {} }] }, 'done']);
    const events = await turn(session, 'ping');
    expect(ofType(events, 'tool_start').map(({ name }) => name)).toEqual(['mcp_echo_ping']);
    expect(ofType(events, 'tool_end').map(({ output }) => output)).toEqual(['pong m6']);
  });
});

describe('permission', () => {
  const file = (name: string) => join(home.workingDir, name);
  const answering =
    (session: LiveSession, decision: 'allow' | 'allow_always' | 'deny', message?: string) =>
    (event: LiveEvent): void => {
      if (event.type === 'permission_request') void session.answerPermission(event.id, { decision, message });
    };

  it('is asked for and given', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use([{ steps: [{ writeFile: { path: 'allowed.txt', content: 'yes' } }] }, 'done']);
    const events = await turn(session, 'write', answering(session, 'allow'));
    const [request] = ofType(events, 'permission_request');
    expect(request).toMatchObject({
      tool: 'write_file',
      input: { file_path: file('allowed.txt'), content: 'yes' },
      options: ['allow', 'allow_always', 'deny'],
    });
    expect(events.map(({ type }) => type)).toEqual([
      'session',
      'permission_request',
      'permission_resolved',
      'tool_start',
      'tool_end',
      'text',
      'usage',
      'ending',
    ]);
    expect(readFileSync(file('allowed.txt'), 'utf8')).toBe('yes');
  });

  it('is asked for and refused', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use([{ steps: [{ shell: `touch ${file('denied.txt')}` }] }, 'a pity']);
    const events = await turn(session, 'touch', answering(session, 'deny', 'Not today.'));
    expect(ofType(events, 'permission_resolved')).toMatchObject([{ decision: 'deny' }]);
    expect(ofType(events, 'tool_end')).toMatchObject([{ output: 'Not today.', isError: true }]);
    expect(said(events)).toEqual(['a pity']);
    expect(model.turns.at(-1)?.toolResults).toMatchObject([
      { isError: true, output: 'Tool "run_shell_command" was canceled by the user.' },
    ]);
    expect(existsSync(file('denied.txt'))).toBe(false);
  });

  it('is asked for once when it is given for always', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use([
      { steps: [{ shell: `touch ${file('always-1.txt')}` }] },
      { steps: [{ shell: `touch ${file('always-2.txt')}` }] },
      'done',
    ]);
    const events = await turn(session, 'touch twice', answering(session, 'allow_always'));
    expect(ofType(events, 'permission_request')).toHaveLength(1);
    expect(ofType(events, 'tool_end')).toHaveLength(2);
    expect([existsSync(file('always-1.txt')), existsSync(file('always-2.txt'))]).toEqual([true, true]);
  });

  it('is not needed for edits in edits mode, nor for anything after a change to bypass', async () => {
    const session = await open({ permissionMode: 'edits' });
    const script = (name: string) => [
      {
        steps: [
          { writeFile: { path: `${name}.txt`, content: 'x' } },
          { shell: `touch ${file(`${name}-2.txt`)}` },
        ],
      },
      'done',
    ];
    model.use(script('edits'));
    const events = await turn(session, 'both', answering(session, 'deny'));
    expect(ofType(events, 'permission_request').map(({ tool }) => tool)).toEqual(['run_shell_command']);
    expect([existsSync(file('edits.txt')), existsSync(file('edits-2.txt'))]).toEqual([true, false]);

    await session.setPermissionMode?.('bypass');
    model.use(script('bypass'));
    const free = await turn(session, 'both');
    expect(ofType(free, 'permission_request')).toEqual([]);
    expect([existsSync(file('bypass.txt')), existsSync(file('bypass-2.txt'))]).toEqual([true, true]);
  });

  it('changes nothing in plan mode', async () => {
    const session = await open({ permissionMode: 'plan' });
    model.use([
      { steps: [{ tool: 'write_file', input: { file_path: file('plan.txt'), content: 'x' } }] },
      { steps: [{ tool: 'run_shell_command', input: { command: `touch ${file('plan-2.txt')}` } }] },
      'planned',
    ]);
    const events = await turn(session, 'plan', answering(session, 'allow'));
    expect(said(events).at(-1)).toBe('planned');
    expect([existsSync(file('plan.txt')), existsSync(file('plan-2.txt'))]).toEqual([false, false]);
  });

  it('is withdrawn by an interrupt', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use([{ steps: [{ shell: `touch ${file('withdrawn.txt')}` }] }, 'done']);
    const events = await turn(session, 'touch', (event) => {
      if (event.type === 'permission_request') void session.interrupt();
    });
    expect(ofType(events, 'permission_resolved')).toMatchObject([{ decision: 'deny' }]);
    expect(endingOf(events)).toMatchObject({ type: 'failed', code: 'interrupted' });
    expect(existsSync(file('withdrawn.txt'))).toBe(false);
    await expect(session.answerPermission('nobody', { decision: 'allow' })).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(said(await turn(session, 'go on'))).toEqual(['done']);
  });
});

describe('an interrupt', () => {
  it('ends the turn in the middle of its text, and the next turn is a good one', async () => {
    const session = await open();
    model.use([{ steps: [{ text: ['first ', 'second '], delayMs: 30 }, { hang: true }] }, 'fresh']);
    const start = performance.now();
    const events = await turn(session, 'talk', (event) => event.type === 'text' && void session.interrupt());
    expect(endingOf(events)).toMatchObject({ type: 'failed', code: 'interrupted' });
    expect(performance.now() - start).toBeLessThan(2000);
    expect(said(await turn(session, 'again'))).toEqual(['fresh']);
    await session.interrupt();
    await session.close();
    expect(endingOf(await turn(session, 'after the end'))).toMatchObject({ code: 'bad_request' });
  });

  it('ends a running tool with all that it started', async () => {
    const session = await open();
    const mark = `7${Date.now() % 100_000}`;
    model.use([{ steps: [{ shell: `sleep ${mark} & sleep ${mark}; wait` }] }, 'done']);
    const events = await turn(session, 'sleep', (event) => {
      if (event.type === 'tool_start') setTimeout(() => void session.interrupt(), 500);
    });
    expect(endingOf(events)).toMatchObject({ type: 'failed', code: 'interrupted' });
    await expect.poll(() => processesWith(`sleep ${mark}`), { timeout: 10_000 }).toEqual([]);
  });

  it('of a caller that leaves does not reach the next turn', async () => {
    const session = await open();
    model.use([{ steps: [{ text: ['old ', 'old ', 'old '], delayMs: 30 }, { hang: true }] }, 'new']);
    for await (const event of session.turn('left')) if (event.type === 'text') break;
    expect(said(await turn(session, 'next'))).toEqual(['new']);
  });

  it('stops a model that says nothing at all', async () => {
    const session = await open();
    model.use([{ silent: true }, 'fresh']);
    setTimeout(() => void session.interrupt(), 100);
    expect(endingOf(await turn(session, 'hello?'))).toMatchObject({ code: 'interrupted' });
    expect(said(await turn(session, 'again'))).toEqual(['fresh']);
  });
});

describe('a failure', () => {
  it.each([
    [401, 'auth'],
    [403, 'auth'],
    [400, 'bad_request'],
  ])('of the API with %i is %s, and the session goes on', async (status, code) => {
    const session = await open();
    model.use([{ status, message: `no ${status}` }]);
    expect(endingOf(await turn(session, 'fail'))).toEqual({ type: 'failed', code, message: `no ${status}` });
    model.use(['fine']);
    expect(said(await turn(session, 'again'))).toEqual(['fine']);
  });

  it('that is retried shows its retries, and the time of the reset', async () => {
    const [limited, broken, refused] = [await open(), await open(), await open()];
    const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2.5s' };
    const quota = { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED', details: [retry] };
    model.use(({ prompt }) =>
      prompt === 'limited'
        ? { status: 429, body: JSON.stringify({ error: quota }) }
        : prompt === 'broken'
          ? { status: 500, message: 'broken' }
          : { drop: true },
    );
    const turns = [turn(limited, 'limited'), turn(broken, 'broken'), turn(refused, 'refused')] as const;
    const [first, second, third] = await Promise.all(turns);
    expect(endingOf(first)).toMatchObject({
      code: 'rate_limit',
      message: expect.stringContaining('retry after 2.5s'),
    });
    expect(endingOf(second)).toEqual({ type: 'failed', code: 'overloaded', message: 'broken' });
    expect(endingOf(third)).toMatchObject({ code: 'network' });
    expect(ofType(first, 'notice').map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/The API failed \(Quota exceeded\); Gemini tries again: retry 1/),
    );
  });

  it('of the first turn does not lose the instructions, and a prompt beyond all limits is a bad request', async () => {
    const session = await open({ systemPrompt: 'Be brief.' });
    model.use([{ status: 401 }, 'fine']);
    await turn(session, 'fail');
    await turn(session, 'again');
    expect(JSON.stringify(model.turns.at(-1)?.body).split('Be brief.')).toHaveLength(2);
    const events = await turn(session, 'word '.repeat(1_200_000));
    expect(endingOf(events)).toMatchObject({ type: 'failed', code: 'bad_request' });
  });

  it('in mid-stream keeps what was said', async () => {
    const session = await open();
    model.use([{ steps: [{ text: 'half ' }, { cut: true }] }]);
    const events = await turn(session, 'cut');
    expect(said(events)).toEqual(['half ']);
    expect(endingOf(events)).toMatchObject({ type: 'failed', code: 'network' });
  });

  it('of the process in mid-turn is a crash of that turn within a second; pending openings fail too', async () => {
    const process = await start();
    const session = await open({}, process);
    const idle = await open({}, process);
    model.use([{ steps: [{ text: 'half ' }, { hang: true }] }]);
    let killed = 0;
    const events = await turn(session, 'die', (event) => {
      if (event.type !== 'text') return;
      killed = performance.now();
      globalThis.process.kill(process.pid, 'SIGKILL');
    });
    expect(performance.now() - killed).toBeLessThan(1000);
    expect(endingOf(events)).toMatchObject({
      code: 'crashed',
      message: expect.stringContaining('signal SIGKILL'),
    });
    expect(endingOf(await turn(idle, 'anyone?'))).toMatchObject({ code: 'crashed' });
    await expect(process.open(options())).rejects.toMatchObject({ code: 'crashed' });
    await expect(process.exited).resolves.toMatchObject({ signal: 'SIGKILL' });
  });

  it('to start is an error with what the program printed', async () => {
    const context = { env: home.env, scratch: join(home.directory, 'scratch') };
    const start = (command: string) => geminiLive.start(options(), { ...context, command });
    await expect(start('/no/such/gemini')).rejects.toMatchObject({ code: 'not_installed' });
    await expect(start('/bin/false')).rejects.toMatchObject({
      code: 'crashed',
      message: expect.stringContaining('exit 1'),
    });
  });
});

describe('a prompt reaches the model as it was typed', () => {
  const prompts = [
    '/help',
    '/init',
    '  /about',
    '$help me',
    '/memory show',
    '/usr/bin/env',
    '@real.txt look',
    '-',
    '--help',
    'nul \0 inside',
    ' leading and trailing \n',
    `emoji 👩‍👩‍👧 \u2028 \u200b bidi \u202e “quotes” \\ $(x) \`y\` \${Z} %s`,
    '\ufeffbom',
    '1e3',
    `${'x'.repeat(99)}\n`.repeat(2000),
  ];
  it.each(prompts.map((prompt) => [JSON.stringify(prompt).slice(0, 40), prompt]))('%s', async (_, prompt) => {
    writeFileSync(join(home.workingDir, 'real.txt'), 'REAL CONTENT');
    const session = await open();
    await turn(session, prompt);
    expect(model.turns).toHaveLength(1);
    expect(model.turns[0]?.prompt).toBe(prompt);
    expect(JSON.stringify(model.turns[0]?.body)).not.toContain('REAL CONTENT');
    expect(existsSync(join(home.workingDir, 'GEMINI.md'))).toBe(false);
  });

  it('also when the instructions look like a command', async () => {
    const session = await open({ systemPrompt: '/help' });
    await turn(session, '/init');
    expect(model.turns.at(-1)?.prompt).toBe('/init');
  });
});

describe('a conversation', () => {
  const chats = () => join(home.directory, '.gemini', 'tmp', 'work', 'chats');
  const chatsOf = (sessionId: string) =>
    readdirSync(chats()).filter((name) => name.includes(sessionId.slice(0, 8)));

  /** As if all that is there had been said yesterday: in the same minute Gemini writes into the same files. */
  const makeOlder = () => {
    for (const name of readdirSync(chats())) {
      renameSync(join(chats(), name), join(chats(), name.replace(/^session-\d{4}/, 'session-2020')));
    }
  };

  /** One turn in a process of its own. */
  const live = async (prompt: string, sessionId?: string): Promise<string> => {
    const process = await start();
    const session = await process.open(options({ sessionId }));
    expect(endingOf(await turn(session, prompt))).toMatchObject({ type: 'answered' });
    await process.end();
    return session.sessionId ?? '';
  };

  const oneShot = async (prompt: string, sessionId?: string): Promise<string> => {
    const backend = createBackend('gemini', {
      cliPath: installedCli('gemini'),
      workingDir: home.workingDir,
      queryTimeoutMs: 60_000,
      allowedTools: [],
      maxTurns: 25,
      model: home.model,
      env: home.env,
    });
    const result = await backend.execute(prompt, '', sessionId);
    expect(result).toMatchObject({ isError: false });
    return result.sessionId ?? '';
  };

  /** Somebody uses Gemini without us. */
  const byHand = async () => {
    const env = { ...home.env, GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true' };
    const running = promisify(execFile)(installedCli('gemini'), ['by hand', '--model', home.model ?? ''], {
      cwd: home.workingDir,
      env,
    });
    running.child.stdin?.end();
    await running;
  };

  const prompts = () => spoken().filter((line) => line.startsWith('user: '));

  it('goes on through four processes, with a start by hand between them', async () => {
    const sessionId = await live('one');
    await live('two', sessionId);
    await live('three', sessionId);
    await byHand();
    await live('four', sessionId);
    expect(prompts()).toEqual(['user: one', 'user: two', 'user: three', 'user: four']);
    expect(chatsOf(sessionId)).toEqual([]);
  });

  it('outlives resuming it without a word, and a kill', async () => {
    const sessionId = await live('one');
    const unused = await start();
    await (await unused.open(options({ sessionId }))).close();
    await unused.end();
    const killed = await start();
    await killed.open(options({ sessionId }));
    globalThis.process.kill(killed.pid, 'SIGKILL');
    await killed.exited;
    await live('two', sessionId);
    expect(prompts()).toEqual(['user: one', 'user: two']);
  });

  it('outlives a kill while it is being loaded, with a start by hand behind it', async () => {
    const sessionId = await live('one');
    const process = await start();
    makeOlder();
    let opened = false;
    const opening = process
      .open(options({ sessionId }))
      .catch((error: unknown) => error)
      .finally(() => {
        opened = true;
      });
    const begun = () => opened || chatsOf(sessionId).some((name) => !name.startsWith('session-2020'));
    await expect.poll(begun, { interval: 1, timeout: 20_000 }).toBe(true);
    globalThis.process.kill(process.pid, 'SIGKILL');
    await opening;
    await byHand();
    await live('two', sessionId);
    expect(prompts()).toEqual(['user: one', 'user: two']);
  });

  it('goes on live and one-shot by turns, while another one begins in the same directory', async () => {
    const sessionId = await oneShot('one');
    makeOlder();
    await oneShot('two', sessionId);
    await oneShot('another');
    await live('three', sessionId);
    makeOlder();
    await oneShot('four', sessionId);
    await byHand();
    await live('five', sessionId);
    expect(prompts()).toEqual(['user: one', 'user: two', 'user: three', 'user: four', 'user: five']);
  });

  it('that nobody said anything in yet outlives another start', async () => {
    const process = await start();
    const session = await process.open(options());
    await byHand();
    await turn(session, 'one');
    await process.end();
    await live('two', session.sessionId);
    expect(prompts()).toEqual(['user: one', 'user: two']);
  });
});

describe('the end', () => {
  it('leaves no process, and can be asked for twice', async () => {
    const process = await start();
    const session = await open({}, process);
    model.use([{ steps: [{ shell: 'sleep 987' }] }]);
    const running = turn(session, 'sleep');
    await expect.poll(() => processesWith('sleep 987'), { timeout: 20_000 }).not.toEqual([]);
    await Promise.all([process.end(), process.end()]);
    expect(endingOf(await running)).toMatchObject({ code: 'crashed' });
    expect(processesWith('sleep 987')).toEqual([]);
    expect(existsSync(`/proc/${process.pid}`)).toBe(false);
  });
});

/** The texts of the last user message, without the context that Gemini puts there itself. */
function userTexts(): readonly string[] {
  const last = model.turns
    .at(-1)
    ?.messages.filter(({ role }) => role === 'user')
    .at(-1);
  return (last?.parts ?? [])
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .filter((text) => !text.startsWith('<session_context>'));
}

/** Command lines of living processes. */
function processesWith(command: string): readonly string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
        return line === command ? [line] : [];
      } catch {
        return [];
      }
    });
}

const echoServer = `
import { createInterface } from 'node:readline';
const tool = { name: 'ping', description: 'pings', inputSchema: { type: 'object', properties: {} } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'pong ' + process.env.MARK }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params) ?? {};
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
`;
