import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ClaudeCodeBackend } from '../../../src/backends/claude-backend.js';
import type { ChatEvent } from '../../../src/core/chat-event.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const place = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-demo-agent-')));
const program = join(root, 'dist/demo-agent/main.js');
const home = join(place, 'home');
const streaming = ['--output-format', 'stream-json', '--verbose', '--include-partial-messages'];
const missingId = '11111111-1111-4111-8111-111111111111';
const children = new Set<ChildProcess>();
let cwd = '';

beforeEach(() => {
  cwd = mkdtempSync(join(place, 'cwd-'));
});

afterAll(() => {
  const left = [...children].filter((child) => child.exitCode === null && child.signalCode === null);
  for (const child of left) child.kill('SIGKILL');
  rmSync(place, { recursive: true, force: true });
  expect(left).toEqual([]);
});

describe('output formats', () => {
  it('prints the answer alone as text', async () => {
    expect(await ask(['-p', 'count to 5'])).toEqual({
      code: 0,
      signal: null,
      stdout: '1 2 3 4 5\n',
      stderr: '',
    });
  });

  it('prints one result object as json, and an array of all lines when verbose', async () => {
    const plain = await ask(['-p', 'what is 12*7', '--output-format', 'json']);
    expect(JSON.parse(plain.stdout)).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: '12*7 = 84',
      num_turns: 1,
      stop_reason: 'end_turn',
      total_cost_usd: 0,
      permission_denials: [],
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
    const verbose = await ask(['-p', 'what is 12*7', '--output-format', 'json', '--verbose']);
    const types = (JSON.parse(verbose.stdout) as Line[]).map((line) => line.type);
    expect(types).toEqual(['system', 'assistant', 'result']);
    for (const { stdout } of [plain, verbose]) {
      expect(parse(stdout)).toEqual({
        responseText: '12*7 = 84',
        isError: false,
        sessionId: expect.any(String),
      });
    }
  });

  it.each([
    'hello',
    'who are you',
    'help',
    'count to 30',
    'wait 2 seconds',
    'think about railways',
    'what time is it',
    'what is your system prompt',
    'Refactor the parser so that it no longer backtracks.',
    'say exactly: grüß Gott 🚂 — “日本語”\n\tو\u2028\u0000end ',
  ])('streams pieces that join to the answer: %j', async (prompt) => {
    const { code, stdout } = await ask([...streaming, '-p'], { stdin: prompt });
    const lines = linesOf(stdout);
    const answer = String(lines.at(-1)?.['result']);
    expect(code).toBe(0);
    expect(deltas(lines, 'text').join('')).toBe(answer);
    expect(parse(stdout)).toEqual({
      responseText: answer,
      isError: false,
      sessionId: lines[0]?.['session_id'],
    });
    if (prompt.startsWith('say exactly: ')) expect(answer).toBe(prompt.slice('say exactly: '.length));
  });

  it.each([0, 1])('keeps surrogate pairs whole wherever a write is cut (%d)', async (shift) => {
    const text = 'a'.repeat(shift) + '🚂'.repeat(50_000);
    const { stdout } = await ask(['-p'], { stdin: `say exactly: ${text}` });
    expect(stdout === `${text}\n`).toBe(true);
  });

  it('opens and closes messages and blocks as Claude does', async () => {
    const { stdout } = await ask([...streaming, '-p', 'think about railways']);
    const lines = linesOf(stdout);
    const order = lines.map((line) => (line['event'] as Line | undefined)?.type ?? line.type);
    expect(order.filter((type, index) => type !== order[index - 1])).toEqual([
      'system',
      'message_start',
      ...['content_block_start', 'content_block_delta', 'assistant', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'assistant', 'content_block_stop'],
      'message_delta',
      'message_stop',
      'result',
    ]);
    expect(deltas(lines, 'thinking').join('')).toContain('think about railways');
  });

  it('prints no pieces unless asked to', async () => {
    const { stdout } = await ask(['-p', 'hello', '--output-format', 'stream-json', '--verbose']);
    expect(linesOf(stdout).map((line) => line.type)).toEqual(['system', 'assistant', 'result']);
  });

  it('writes megabytes, to the byte, at the pace of its reader', async () => {
    const { stdout } = await ask(['-p', 'write 3 MB of text', '--output-format', 'json']);
    expect((JSON.parse(stdout) as { result: string }).result).toHaveLength(3 * 1024 * 1024);
  });
});

describe('command line', () => {
  it.each([
    ['an unknown option', ['-p', '--resume-it', 'x'], "error: unknown option '--resume-it'"],
    ['a prompt that looks like an option', ['-p', '--resume foo'], "error: unknown option '--resume foo'"],
    ['no prompt', ['-p', ''], 'Error: Input must be provided either through stdin or as a prompt argument'],
    [
      'a list option that swallows the prompt',
      ['-p', '--allowedTools', 'LS', 'hello'],
      'Error: Input must be provided',
    ],
    ['a blank prompt', ['-p', '  '], 'Error: No messages returned from query'],
    [
      'stream-json without --verbose',
      ['-p', 'hello', '--output-format', 'stream-json'],
      'Error: When using --print, --output-format=stream-json requires --verbose',
    ],
    ['an unknown format', ['-p', 'hello', '--output-format', 'xml'], "argument 'xml' is invalid"],
    [
      'a missing system prompt',
      ['-p', 'hello', '--append-system-prompt-file', '/nowhere.md'],
      'Append system prompt file not found: /nowhere.md',
    ],
    [
      'a missing MCP config',
      ['-p', 'hello', '--mcp-config', '/nowhere.json'],
      'MCP config file not found: /nowhere.json',
    ],
    [
      'a session that is no UUID',
      ['-p', 'hello', '--resume', '../x'],
      '--resume requires a valid session ID',
    ],
    ['no -p', ['hello'], 'no interactive mode'],
  ])('refuses %s', async (_what, args, message) => {
    const { code, stdout, stderr } = await ask(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('takes the prompt from the argument, from stdin, from both, and after --', async () => {
    const exactly = 'say exactly: ';
    expect((await ask(['-p'], { stdin: `${exactly}in` })).stdout).toBe('in\n');
    expect((await ask(['-p', `${exactly}arg`], { stdin: 'in' })).stdout).toBe('arg\nin\n');
    expect((await ask(['-p', '--add-dir', '.', '--', `${exactly}--x`])).stdout).toBe('--x\n');
  });

  it('knows its version, its help and its system prompt', async () => {
    expect((await ask(['--version'])).stdout).toBe('2.1.325 (Turnout demo agent)\n');
    expect((await ask(['--help'])).stdout).toContain('count to 10');
    const asked = ['-p', 'what is your system prompt', '--append-system-prompt', '- Be brief.'];
    expect((await ask(asked)).stdout).toContain('- Be brief.');
  });

  it('names the MCP servers, the model and the tools that it was given', async () => {
    const servers = JSON.stringify({ mcpServers: { echo: { command: 'echo' } } });
    const flags = [
      '--mcp-config',
      servers,
      '--model',
      'small',
      '--tools',
      'LS,Read',
      '--disallowedTools',
      'Read',
    ];
    const [init] = linesOf((await ask(['-p', 'hello', ...streaming, ...flags])).stdout);
    expect(init).toMatchObject({
      subtype: 'init',
      cwd,
      model: 'small',
      tools: ['LS'],
      mcp_servers: [{ name: 'echo' }],
    });
  });
});

describe('tools', () => {
  it('writes a note, really', async () => {
    const { stdout } = await ask([
      ...streaming,
      '--dangerously-skip-permissions',
      '-p',
      'write a note: café 🚂',
    ]);
    expect(readFileSync(join(cwd, 'demo-note.txt'), 'utf8')).toBe('café 🚂\n');
    expect(contents(stdout, 'tool_use')).toMatchObject([
      { name: 'Write', input: { file_path: 'demo-note.txt' } },
    ]);
    expect(contents(stdout, 'tool_result')).toMatchObject([{ is_error: false }]);
    expect(linesOf(stdout).at(-1)).toMatchObject({
      num_turns: 2,
      result: 'I wrote the note to demo-note.txt.',
    });
  });

  it('writes nothing without a permission, and says what was denied', async () => {
    const { code, stdout } = await ask([...streaming, '-p', 'write a note: x']);
    expect(code).toBe(0);
    expect(existsSync(join(cwd, 'demo-note.txt'))).toBe(false);
    const id = contents(stdout, 'tool_use')[0]?.['id'];
    expect(linesOf(stdout).at(-1)?.['permission_denials']).toEqual([
      { tool_name: 'Write', tool_use_id: id, tool_input: { file_path: 'demo-note.txt', content: 'x\n' } },
    ]);
    await ask(['-p', 'write a note: x', '--allowedTools', 'Bash(ls:*)', 'Write']);
    expect(existsSync(join(cwd, 'demo-note.txt'))).toBe(true);
  });

  it('lists and reads the working directory, and nothing outside of it', async () => {
    writeFileSync(join(cwd, 'README.md'), 'first\nsecond\n');
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src', 'Makefile'), 'all:\n');
    writeFileSync(join(place, 'secret.txt'), 'secret');
    symlinkSync(join(place, 'secret.txt'), join(cwd, 'link.txt'));
    expect((await ask(['-p', 'list files'])).stdout).toContain('README.md\nlink.txt\nsrc/\n');
    expect((await ask(['-p', 'ls -la src'])).stdout).toContain('Makefile');
    expect((await ask(['-p', 'read README.md'])).stdout).toContain('first\nsecond');
    for (const path of ['/etc/passwd', '../secret.txt', 'link.txt']) {
      const { stdout } = await ask(['-p', `read ${path}`]);
      expect(stdout).toContain('outside of the working directory');
    }
    expect((await ask(['-p', 'run touch pwned; touch $(pwned)'])).stdout).toContain('I run no commands');
    expect(readdirSync(cwd).sort()).toEqual(['README.md', 'link.txt', 'src']);
  });

  it('stops at the limit of turns', async () => {
    writeFileSync(join(cwd, 'README.md'), 'first\n');
    const { code, stdout } = await ask([...streaming, '--max-turns', '1', '-p', 'look around']);
    expect(code).toBe(1);
    expect(linesOf(stdout).at(-1)).toMatchObject({
      subtype: 'error_max_turns',
      is_error: true,
      num_turns: 2,
    });
    expect(parse(stdout)).toMatchObject({
      isError: true,
      responseText: 'Reached maximum number of turns (1)',
    });
    expect((await ask(['--max-turns', '3', '-p', 'look around'])).stdout).toContain('first');
  });
});

describe('sessions', () => {
  it('remembers what was said, in the same directory only', async () => {
    const first = await ask(['-p', 'remember that the signal is green', '--output-format', 'json']);
    const { session_id: id } = JSON.parse(first.stdout) as { session_id: string };
    const again = await ask(['-p', 'what do you remember', '--resume', id, '--output-format', 'json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      session_id: id,
      result: 'I remember:\n- the signal is green',
    });
    const { stdout } = await ask(['-p', 'what did I say before', `--resume=${id}`]);
    expect(stdout).toContain('- remember that the signal is green\n- what do you remember');
    cwd = mkdtempSync(join(place, 'cwd-'));
    expect((await ask(['-p', 'hello', '--resume', id])).stderr).toBe(
      `No conversation found with session ID: ${id}\n`,
    );
  });

  it('can go on after a crash', async () => {
    const id = '22222222-2222-4222-8222-222222222222';
    expect(await ask(['-p', 'crash', '--session-id', id])).toMatchObject({ signal: 'SIGKILL' });
    expect((await ask(['-p', 'what did I say before', '--resume', id])).stdout).toContain('- crash');
  });

  it('says that a session is missing as Claude does in each format', async () => {
    const stderr = `No conversation found with session ID: ${missingId}\n`;
    for (const format of [['--output-format', 'text'], ['--output-format', 'json'], streaming]) {
      const answer = await ask(['-p', 'hello', '--resume', missingId, ...format]);
      expect(answer).toMatchObject({ code: 1, stderr });
      if (format !== streaming) expect(answer.stdout).toBe('');
      else
        expect(linesOf(answer.stdout)).toMatchObject([{ subtype: 'error_during_execution', num_turns: 0 }]);
    }
  });

  it('takes an id for a new session, once', async () => {
    const args = ['-p', 'hello', '--session-id', '33333333-3333-4333-8333-333333333333'];
    expect((await ask(args)).code).toBe(0);
    expect((await ask(args)).stderr).toContain('is already in use');
  });

  it('keeps conversations to their owner, and the last hundred turns of each', async () => {
    const id = '44444444-4444-4444-8444-444444444444';
    await ask(['-p', 'hello', '--session-id', id]);
    const folder = readdirSync(join(home, 'demo-agent')).find((name) =>
      existsSync(join(home, 'demo-agent', name, `${id}.json`)),
    );
    const file = join(home, 'demo-agent', folder ?? '', `${id}.json`);
    const turns = Array.from({ length: 150 }, (_, index) => ({ prompt: `p${index}`, answer: 'a' }));
    writeFileSync(file, JSON.stringify({ id, turns }));
    await ask(['-p', 'hello', '--resume', id]);
    const stored = JSON.parse(readFileSync(file, 'utf8')) as { turns: { prompt: string }[] };
    expect(stored.turns).toHaveLength(100);
    expect(stored.turns.at(-1)?.prompt).toBe('hello');
    expect(
      readdirSync(join(home, 'demo-agent', folder ?? '')).filter((name) => name.endsWith('.tmp')),
    ).toEqual([]);
    if (process.platform === 'win32') return;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'demo-agent', folder ?? '')).mode & 0o777).toBe(0o700);
  });

  it('answers when its home cannot be written', async () => {
    const file = join(cwd, 'a-file');
    writeFileSync(file, '');
    expect(await ask(['-p', 'count to 2'], { env: { TURNOUT_HOME: file } })).toMatchObject({
      code: 0,
      stdout: '1 2\n',
    });
  });
});

describe('trouble', () => {
  it.each([
    [401, 'authentication_failed'],
    [429, 'rate_limit'],
    [500, 'server_error'],
    [529, 'server_error'],
  ])('fails with %d in the shape of an API error', async (status, reason) => {
    const { code, stdout, stderr } = await ask([...streaming, '-p', `fail with ${status}`]);
    const lines = linesOf(stdout);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(lines.at(-2)).toMatchObject({
      type: 'assistant',
      message: { model: '<synthetic>' },
      error: reason,
    });
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', is_error: true, api_error_status: status });
    expect(lines.filter((line) => line['subtype'] === 'api_retry')).toHaveLength(2);
    expect(parse(stdout)).toMatchObject({ isError: true, responseText: lines.at(-1)?.['result'] });
  });

  it('fails, crashes and says nothing on request', async () => {
    const failed = await ask([...streaming, '-p', 'fail']);
    expect(failed.code).toBe(1);
    expect(parse(failed.stdout)).toMatchObject({
      isError: true,
      responseText: expect.stringContaining('failed'),
    });
    const crashed = await ask([...streaming, '-p', 'please crash']);
    expect(crashed).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(deltas(linesOf(crashed.stdout), 'text').join('')).toBe('I am about to say something impor');
    const silent = await ask(['-p', 'say nothing', '--output-format', 'json']);
    expect(JSON.parse(silent.stdout)).toMatchObject({ subtype: 'success', result: '' });
  });

  it.skipIf(process.platform === 'win32')('ends quietly on SIGTERM, also when nobody reads', async () => {
    for (const prompt of ['hang', 'write 50 MB of text']) {
      const child = start([...streaming, '-p', prompt]);
      await new Promise((ready) => child.stdout?.once('readable', ready));
      child.kill('SIGTERM');
      expect(await exitOf(child)).toEqual({ code: 143, signal: null });
    }
  });

  it.skipIf(process.platform === 'win32')('ends an interrupted turn with its result and exit 0', async () => {
    const child = start([...streaming, '-p', 'count to 100000'], { env: { TURNOUT_DEMO_SPEED: '1' } });
    const { stdout, code } = await read(child, (text) => {
      if (text.includes('" 3"')) child.kill('SIGINT');
    });
    const [said, user, result] = linesOf(stdout)
      .filter((line) => line.type !== 'stream_event')
      .slice(-3);
    expect(code).toBe(0);
    expect(said).toMatchObject({
      type: 'assistant',
      message: { content: [{ text: expect.stringMatching(/^1 2 3/) }] },
    });
    expect(user).toMatchObject({
      type: 'user',
      message: { content: [{ text: '[Request interrupted by user]' }] },
    });
    expect(result).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  });

  it.skipIf(process.platform === 'win32')('ends quietly when its reader goes away', async () => {
    const child = start([...streaming, '-p', 'count to 100000']);
    child.stdout?.once('data', () => child.stdout?.destroy());
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += String(chunk);
    });
    expect(await exitOf(child)).toEqual({ code: 141, signal: null });
    expect(stderr).toBe('');
  });

  it.skipIf(process.platform === 'win32')('can be interrupted while it waits for its prompt', async () => {
    const child = start(['-p'], { stdin: 'open' });
    child.stdin?.write('hel');
    setTimeout(() => child.kill('SIGINT'), 300);
    expect(await read(child)).toMatchObject({ stdout: '', stderr: '' });
  });

  it('does not wait for ever for a stdin that stays open', async () => {
    const child = start(['-p', 'count to 2'], { stdin: 'open' });
    expect(await read(child)).toMatchObject({
      code: 0,
      stdout: '1 2\n',
      stderr: expect.stringMatching(/^Warning: no stdin/),
    });
  });
});

describe.skipIf(process.platform === 'win32')('driven by the Claude backend', () => {
  it('goes through a whole turn', async () => {
    const events: ChatEvent[] = [];
    for await (const event of backend().run({ prompt: 'write a note: hi', systemPrompt: 'Be kind.' }))
      events.push(event);
    const kinds = events.map((event) => event.type);
    expect(kinds[0]).toBe('session');
    expect(kinds).toContain('tool_start');
    expect(kinds).toContain('tool_end');
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'I wrote the note to demo-note.txt.' });
    expect(existsSync(join(cwd, 'demo-note.txt'))).toBe(true);
  });

  it('resumes, and fails as Claude would', async () => {
    const first = await backend().execute('remember 42', 'Be kind.');
    expect(first).toMatchObject({ isError: false, sessionId: expect.any(String) });
    const again = await backend().execute(
      'what do you remember',
      'Be kind.',
      first.sessionId,
      () => undefined,
    );
    expect(again).toMatchObject({
      isError: false,
      responseText: 'I remember:\n- 42',
      sessionId: first.sessionId,
    });
    const endings = {
      'fail with 429': 'rate_limit',
      'fail with 401': 'auth',
      'fail with 529': 'overloaded',
      crash: 'crashed',
    };
    for (const [prompt, code] of Object.entries(endings)) {
      let last: ChatEvent | undefined;
      for await (const event of backend().run({ prompt })) last = event;
      expect(last).toMatchObject({ type: 'error', code });
    }
    let last: ChatEvent | undefined;
    for await (const event of backend().run({ prompt: 'hi', sessionId: missingId })) last = event;
    expect(last).toMatchObject({ type: 'error', code: 'session_not_found' });
  });
});

interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Setting {
  readonly stdin?: string;
  readonly env?: Record<string, string>;
}

/** Built from nothing, but for the mark by which the whole suite finds processes that were left behind. */
function environment(extra: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', TURNOUT_SUITE = '' } = process.env;
  const places = { HOME: join(place, 'user'), TURNOUT_HOME: home };
  return { PATH, TURNOUT_SUITE, ...places, TURNOUT_DEMO_SPEED: '0', ...extra };
}

function start(args: string[], { stdin, env }: Setting = {}): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: environment(env),
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  children.add(child);
  return child;
}

async function ask(args: string[], setting: Setting = {}) {
  const child = start(args, setting);
  child.stdin?.end(setting.stdin);
  return read(child);
}

async function read(child: ChildProcess, watch: (stdout: string) => void = () => undefined) {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => {
    out.push(chunk);
    watch(chunk.toString());
  });
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  const exit = await exitOf(child);
  return { ...exit, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}

function exitOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((done) => {
    // Unread output holds back `close`.
    const event = child.stdout?.listenerCount('data') ? 'close' : 'exit';
    child.once(event, (code, signal) => done({ code, signal }));
  });
}

function linesOf(stdout: string): Line[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

function deltas(lines: Line[], kind: 'text' | 'thinking'): string[] {
  return lines
    .map((line) => (line['event'] as { delta?: Record<string, string> } | undefined)?.delta)
    .filter((delta) => delta?.['type'] === `${kind}_delta`)
    .map((delta) => delta?.[kind] ?? '');
}

function contents(stdout: string, type: string): Line[] {
  return linesOf(stdout)
    .flatMap((line) => (line['message'] as { content?: Line[] } | undefined)?.content ?? [])
    .filter((block) => block.type === type);
}

function backend(): ClaudeCodeBackend {
  const limits = { queryTimeoutMs: 20_000, maxTurns: 10 };
  return new ClaudeCodeBackend({
    cliPath: program,
    workingDir: cwd,
    allowedTools: [],
    ...limits,
    env: environment(),
  });
}

function parse(stdout: string) {
  return backend().parseOutput(stdout);
}
