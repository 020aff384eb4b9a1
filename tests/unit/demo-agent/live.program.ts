import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const place = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-demo-live-')));
const program = join(place, 'program', 'main.js');
const missingId = '11111111-1111-4111-8111-111111111111';
const asking = ['--permission-mode', 'default', '--permission-prompt-tool', 'stdio'];
const bypassing = ['--dangerously-skip-permissions', '--permission-prompt-tool', 'stdio'];
const started = new Set<Live>();
let cwd = '';

/** Compiled on its own: the program must not need the rest of Turnout. */
beforeAll(() => {
  const config = join(place, 'tsconfig.json');
  const compilerOptions = {
    rootDir: join(root, 'src/demo-agent'),
    outDir: join(place, 'program'),
    typeRoots: [join(root, 'node_modules/@types')],
    declaration: false,
  };
  const include = [join(root, 'src/demo-agent')];
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, 'tsconfig.build.json'), compilerOptions, include }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  expect(spawnSync(process.execPath, [tsc, '--project', config], { encoding: 'utf8' }).stdout).toBe('');
  writeFileSync(join(place, 'program', 'package.json'), '{"type":"module"}');
});

beforeEach(() => {
  cwd = mkdtempSync(join(place, 'cwd-'));
});

afterEach(async () => {
  for (const live of started) {
    live.child.kill('SIGKILL');
    await live.exit;
  }
  started.clear();
});

afterAll(() => {
  rmSync(place, { recursive: true, force: true });
});

describe('turns', () => {
  it('says nothing before it is spoken to', async () => {
    const live = start();
    await sleep(300);
    expect(live.lines).toEqual([]);
    await live.control({ subtype: 'mcp_status' });
    expect(live.lines).toHaveLength(1);
    expect(await live.end()).toEqual({ code: 0, signal: null });
  });

  it('takes many turns in one process, each with its own init, usage and result', async () => {
    const live = start(['--include-partial-messages'], { TURNOUT_DEMO_PRICE: '1000' });
    const first = await live.turn('remember that the signal is green');
    const second = await live.turn([
      { type: 'text', text: 'what do you ' },
      { type: 'text', text: 'remember' },
    ]);
    expect(second).toMatchObject({
      result: 'I remember:\n- the signal is green',
      session_id: first['session_id'],
      num_turns: 1,
    });
    expect(live.of('system', 'init')).toHaveLength(2);
    expect(live.of('stream_event').length).toBeGreaterThan(10);
    const [cost1, cost2] = [first, second].map((line) => Number(line['total_cost_usd'])) as [number, number];
    expect(cost1).toBeGreaterThan(0);
    expect(cost2).toBeGreaterThan(cost1);
    const [since] = Object.values(second['model_usage_since_last_result'] as Record<string, Line>);
    const usage = second['usage'] as Record<string, number>;
    expect(since).toMatchObject({ inputTokens: usage['input_tokens'], outputTokens: usage['output_tokens'] });
    expect(Number(since?.['costUSD'])).toBeCloseTo(cost2 - cost1, 9);
    expect(await live.end()).toEqual({ code: 0, signal: null });
  });

  it('queues messages, says where they stand, and answers them all before it leaves', async () => {
    const live = start(['--replay-user-messages'], { TURNOUT_DEMO_SPEED: '20' });
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    for (const [index, uuid] of ids.entries()) live.user(`say exactly: ${index}`, { uuid });
    await live.until((line) => line['state'] === 'started');
    expect(await live.control({ subtype: 'cancel_async_message', message_uuid: ids[1] })).toMatchObject({
      response: { cancelled: true },
    });
    expect(await live.end()).toEqual({ code: 0, signal: null });
    expect(live.of('result').map((line) => [line['result'], line['user_message_uuids']])).toEqual([
      ['0', [ids[0]]],
      ['2', [ids[2]]],
    ]);
    const states = (id: string | undefined) =>
      live.of('command_lifecycle').flatMap((line) => (line['command_uuid'] === id ? [line['state']] : []));
    expect(states(ids[0])).toEqual(['queued', 'started', 'completed']);
    expect(states(ids[1])).toEqual(['queued', 'cancelled']);
    expect(live.of('user').map((line) => [line['uuid'], line['isReplay']])).toEqual([
      [ids[0], true],
      [ids[2], true],
    ]);
  });

  it('answers one message that comes with the end of stdin, without a line break', async () => {
    const live = start();
    live.child.stdin?.end(JSON.stringify({ type: 'user', message: { role: 'user', content: 'count to 3' } }));
    expect(await live.exit).toEqual({ code: 0, signal: null });
    expect(live.lines.map((line) => line.type)).toEqual(['system', 'assistant', 'result']);
    expect(live.lines.at(-1)).toMatchObject({ result: '1 2 3' });
  });

  it('ignores lines it does not know, and dies of one that is no JSON', async () => {
    const live = start();
    live.child.stdin?.write('\n[1]\nnull\n{"type":"keep_alive"}\n{"type":"user","message":{"content":{}}}\n');
    expect(await live.turn('count to 2')).toMatchObject({ result: '1 2' });
    live.user('hang');
    live.child.stdin?.write('garbage\n');
    expect(await live.exit).toEqual({ code: 1, signal: null });
    expect(live.stderr).toBe('Error parsing streaming input line (type=unknown, 7 chars): SyntaxError\n');
  });

  it('keeps its lines whole when it is asked in the middle of one', async () => {
    const live = start();
    live.user('write 3 MB of text');
    let asked = 0;
    for (; live.of('result').length === 0; asked++) await live.control({ subtype: 'mcp_status' });
    await live.end();
    expect(String(live.of('result')[0]?.['result'])).toHaveLength(3 * 1024 * 1024);
    expect(live.of('control_response')).toHaveLength(asked);
  });

  it('begins a new conversation with /clear, if it was typed', async () => {
    const live = start([], { TURNOUT_DEMO_PRICE: '1000' });
    const first = await live.turn('remember that it rains');
    expect((await live.turn('/clear', { text_not_typed: true }))['result']).toContain('/clear');
    const cleared = await live.turn('/clear');
    expect(cleared).toMatchObject({ result: '', num_turns: 0, is_error: false, total_cost_usd: 0 });
    expect(cleared['session_id']).not.toBe(first['session_id']);
    expect(await live.turn('what do you remember')).toMatchObject({
      session_id: cleared['session_id'],
      result: 'You told me nothing to remember in this session.',
    });
    expect(live.of('conversation_reset')).toMatchObject([{ session_id: first['session_id'] }]);
  });
});

describe('control requests', () => {
  it('is initialized, with a system prompt that a resumed session takes only without its snapshot', async () => {
    const live = start();
    const answer = await live.control({ subtype: 'initialize', appendSystemPrompt: 'Be A.' });
    expect(answer).toMatchObject({
      subtype: 'success',
      response: {
        commands: [{ name: 'clear' }],
        models: [{ value: 'default' }],
        account: {},
        pid: live.child.pid,
      },
    });
    const first = await live.turn('what is your system prompt');
    expect(first['result']).toContain('Be A.');
    await live.end();
    for (const [snapshot, prompt] of [
      [true, 'Be A.'],
      [false, 'Be B.'],
    ] as const) {
      const again = start(['--resume', String(first['session_id'])]);
      const request = { subtype: 'initialize', appendSystemPrompt: 'Be B.', systemPromptSnapshot: snapshot };
      await again.control(request);
      expect((await again.turn('what is your system prompt'))['result']).toContain(prompt);
      await again.end();
    }
  });

  it('changes the model and the permission mode, and says what it cannot do', async () => {
    const live = start(asking);
    expect(await live.control({ subtype: 'set_model', model: 'small' })).toMatchObject({
      subtype: 'success',
    });
    expect(await live.control({ subtype: 'set_permission_mode', mode: 'acceptEdits' })).toMatchObject({
      response: { mode: 'acceptEdits' },
    });
    expect(await live.control({ subtype: 'set_permission_mode', mode: 'bypassPermissions' })).toMatchObject({
      subtype: 'error',
      error:
        'Cannot set permission mode to bypassPermissions because the session was not launched with --dangerously-skip-permissions',
    });
    expect(await live.control({ subtype: 'set_permission_mode', mode: 'x' })).toMatchObject({
      subtype: 'error',
    });
    expect(await live.control({ subtype: 'nonsense' })).toMatchObject({
      subtype: 'error',
      error: 'Unsupported control request subtype: nonsense',
    });
    expect(await live.control({ subtype: 'mcp_status' })).toMatchObject({ response: { mcpServers: [] } });
    await live.turn('hello');
    expect(live.of('system', 'status')).toMatchObject([{ permissionMode: 'acceptEdits' }]);
    expect(live.of('system', 'init')).toMatchObject([{ model: 'small', permissionMode: 'acceptEdits' }]);
    await live.control({ subtype: 'set_model' });
    await live.turn('hello');
    expect(live.of('system', 'init')[1]).toMatchObject({ model: 'demo-agent' });
    const bypass = start(bypassing);
    for (const mode of ['default', 'bypassPermissions'])
      expect(await bypass.control({ subtype: 'set_permission_mode', mode })).toMatchObject({
        response: { mode },
      });
  });

  it('interrupts what it says, and lives on', async () => {
    const live = start(['--include-partial-messages'], { TURNOUT_DEMO_SPEED: '1' });
    expect(await live.control({ subtype: 'interrupt' })).toMatchObject({ response: { still_queued: [] } });
    const over = live.turn('count to 100000');
    await live.until((line) => JSON.stringify(line).includes('" 3"'));
    const waiting = randomUUID();
    live.user('count to 2', { uuid: waiting });
    const answer = await live.control({ subtype: 'interrupt' });
    expect(answer).toMatchObject({ subtype: 'success', response: { still_queued: [waiting] } });
    expect(await over).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_streaming',
      session_id: expect.any(String),
    });
    const after = live.lines.slice(live.lines.findLastIndex((line) => line.type === 'control_response'));
    expect(after.filter((line) => line.type !== 'stream_event').slice(0, 4)).toMatchObject([
      { type: 'control_response' },
      { type: 'assistant', message: { content: [{ text: expect.stringMatching(/^1 2 3/) }] } },
      { type: 'user', message: { content: [{ text: '[Request interrupted by user]' }] } },
      { type: 'result' },
    ]);
    expect(await live.until((line) => line.type === 'result' && line['result'] === '1 2')).toBeDefined();
  });

  it('interrupts a turn that has not begun, hangs, or runs a tool', async () => {
    const live = start(bypassing);
    const early = live.turn('hang');
    await live.control({ subtype: 'interrupt' });
    expect(await early).toMatchObject({ terminal_reason: 'aborted_streaming' });
    const hanging = live.turn('hang');
    await sleep(200);
    await live.control({ subtype: 'interrupt' });
    expect(await hanging).toMatchObject({ terminal_reason: 'aborted_streaming' });
    const working = live.turn('run a tool for 300 seconds');
    await live.until((line) => JSON.stringify(line).includes('"tool_use"'));
    await live.control({ subtype: 'interrupt' });
    expect(await working).toMatchObject({ terminal_reason: 'aborted_tools', permission_denials: [] });
    expect(live.of('user').slice(-2)).toMatchObject([
      { message: { content: [{ type: 'tool_result', is_error: true }] } },
      { message: { content: [{ text: '[Request interrupted by user for tool use]' }] } },
    ]);
    expect(await live.turn('count to 2')).toMatchObject({ result: '1 2' });
    expect(await live.end()).toEqual({ code: 0, signal: null });
  });
});

describe('permissions', () => {
  const write = 'write a note: hi';

  it('asks, and does what was allowed, with the input that came back', async () => {
    const live = start(asking);
    const over = live.turn(write);
    const { id, request } = await live.question();
    expect(request).toMatchObject({
      subtype: 'can_use_tool',
      tool_name: 'Write',
      input: { file_path: 'demo-note.txt', content: 'hi\n' },
      permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      tool_use_id: expect.stringMatching(/^toolu_/),
    });
    expect(existsSync(join(cwd, 'demo-note.txt'))).toBe(false);
    live.answer(id, { behavior: 'allow', updatedInput: { file_path: 'other.txt', content: 'changed' } });
    expect(await over).toMatchObject({ permission_denials: [], num_turns: 2 });
    expect(readFileSync(join(cwd, 'other.txt'), 'utf8')).toBe('changed');
    expect(existsSync(join(cwd, 'demo-note.txt'))).toBe(false);
    const again = live.turn(write);
    live.answer((await live.question(1)).id, { behavior: 'allow' });
    await again;
    expect(existsSync(join(cwd, 'demo-note.txt'))).toBe(true);
  });

  it('goes on when it is denied, and stops when it is told to', async () => {
    const live = start(asking);
    let over = live.turn(write);
    const { id, request } = await live.question();
    live.answer(id, { behavior: 'deny', message: 'not today' });
    expect(await over).toMatchObject({
      subtype: 'success',
      result: 'I could not write the note: not today',
      permission_denials: [{ tool_name: 'Write', tool_use_id: request['tool_use_id'] }],
    });
    over = live.turn(write);
    live.answer((await live.question(1)).id, { behavior: 'deny', message: 'stop', interrupt: true });
    expect(await over).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' });
    over = live.turn(write);
    live.answer((await live.question(2)).id, {});
    expect((await over)['result']).toContain('invalid permission result');
    over = live.turn(write);
    live.send({
      type: 'control_response',
      response: { subtype: 'error', request_id: (await live.question(3)).id, error: 'no such thing' },
    });
    expect((await over)['result']).toContain('Tool permission request failed: Error: no such thing');
    over = live.turn(write);
    await live.question(4);
    live.child.stdin?.end();
    expect((await over)['result']).toContain('Tool permission stream closed before response received');
    expect(await live.exit).toEqual({ code: 0, signal: null });
    expect(existsSync(join(cwd, 'demo-note.txt'))).toBe(false);
  });

  it('takes its question back when an interrupt overtakes it', async () => {
    const live = start(asking);
    const over = live.turn(write);
    const { id } = await live.question();
    await live.control({ subtype: 'interrupt' });
    expect(await over).toMatchObject({
      subtype: 'error_during_execution',
      permission_denials: [{ tool_name: 'Write' }],
    });
    const types = live.lines
      .slice(live.lines.findIndex((line) => line['request_id'] === id))
      .map((line) => line.type);
    expect(types).toEqual([
      'control_request',
      'control_cancel_request',
      'control_response',
      'user',
      'user',
      'result',
    ]);
    live.answer(id, { behavior: 'allow' });
    expect(await live.turn('count to 2')).toMatchObject({ result: '1 2' });
    expect(existsSync(join(cwd, 'demo-note.txt'))).toBe(false);
  });

  it('does not ask again for what is always allowed', async () => {
    const live = start(asking);
    for (const prompt of [write, 'run a tool for 0 seconds']) {
      const asked = live.of('control_request').length;
      const over = live.turn(prompt);
      const { id, request } = await live.question(asked);
      const updatedPermissions = request['permission_suggestions'];
      live.answer(id, { behavior: 'allow', updatedInput: request['input'], updatedPermissions });
      await over;
      expect(await live.turn(prompt)).toMatchObject({ permission_denials: [] });
      expect(live.of('control_request')).toHaveLength(asked + 1);
    }
    expect(live.of('system', 'status')).toMatchObject([{ permissionMode: 'acceptEdits' }]);
  });

  it.each([
    [
      'acceptEdits',
      'Write allowed',
      ['--permission-mode', 'acceptEdits', '--permission-prompt-tool', 'stdio'],
      true,
    ],
    ['bypass', 'everything allowed', bypassing, true],
    ['plan', 'denied', ['--permission-mode', 'plan', '--permission-prompt-tool', 'stdio'], false],
    ['dontAsk', 'denied', ['--permission-mode', 'dontAsk', '--permission-prompt-tool', 'stdio'], false],
    ['default with nobody to ask', 'denied', [], false],
  ])('does not ask in mode %s: %s', async (_mode, _what, args, written) => {
    const live = start(args);
    const result = await live.turn(write);
    expect(result['permission_denials']).toHaveLength(written ? 0 : 1);
    expect(live.of('system', 'permission_denied')).toHaveLength(written ? 0 : 1);
    expect(existsSync(join(cwd, 'demo-note.txt'))).toBe(written);
    expect(live.of('control_request')).toEqual([]);
  });

  it('asks for commands in the mode that accepts edits', async () => {
    const live = start([
      '--permission-mode',
      'acceptEdits',
      '--permission-prompt-tool',
      'stdio',
      '--allowedTools',
      'Bash(git:*)',
    ]);
    const over = live.turn('run a tool for 0 seconds');
    const { id, request } = await live.question();
    expect(request).toMatchObject({ tool_name: 'Bash', input: { command: 'sleep 0' } });
    live.answer(id, { behavior: 'allow', updatedInput: { command: 'touch pwned' } });
    expect((await over)['result']).toContain('I know no command but');
    expect(existsSync(join(cwd, 'pwned'))).toBe(false);
  });

  it('asks the hooks first', async () => {
    const live = start(asking);
    const hooks = { PreToolUse: [{ matcher: 'Bash|Write', hookCallbackIds: ['hook_0'] }] };
    await live.control({ subtype: 'initialize', hooks });
    const decide = (permissionDecision: string) => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason: 'so' },
    });
    let over = live.turn(write);
    const { id, request } = await live.question();
    expect(request).toMatchObject({
      subtype: 'hook_callback',
      callback_id: 'hook_0',
      input: { hook_event_name: 'PreToolUse', tool_name: 'Write', permission_mode: 'default', cwd },
    });
    live.answer(id, decide('deny'));
    expect(await over).toMatchObject({
      result: 'I could not write the note: PreToolUse:Write hook error: so',
      permission_denials: [{ tool_name: 'Write' }],
    });
    over = live.turn(write);
    live.answer((await live.question(1)).id, decide('allow'));
    expect(await over).toMatchObject({ permission_denials: [] });
    over = live.turn(write);
    live.answer((await live.question(2)).id, {});
    const { id: asked, request: question } = await live.question(3);
    expect(question['subtype']).toBe('can_use_tool');
    live.answer(asked, { behavior: 'allow' });
    expect(await over).toMatchObject({ permission_denials: [] });
    await live.turn('list files');
    expect(live.of('control_request')).toHaveLength(4);
  });
});

describe('sessions and trouble', () => {
  it('resumes what kill -9 has left', async () => {
    const live = start();
    const { session_id: id } = await live.turn('remember that the kettle is on');
    live.user('hang');
    await live.until((line) => line['subtype'] === 'init' && line !== live.lines[0]);
    live.child.kill('SIGKILL');
    await live.exit;
    const again = start(['--resume', String(id)]);
    expect(await again.turn('what do you remember')).toMatchObject({
      session_id: id,
      result: 'I remember:\n- the kettle is on',
    });
    expect((await again.turn('what did I say before'))['result']).toContain('- hang');
  });

  it('ends before any input when the session to resume is missing', async () => {
    const live = start(['--resume', missingId]);
    expect(await live.exit).toEqual({ code: 1, signal: null });
    expect(live.stderr).toBe(`No conversation found with session ID: ${missingId}\n`);
    expect(live.lines).toMatchObject([
      { type: 'result', subtype: 'error_during_execution', session_id: missingId, num_turns: 0 },
    ]);
  });

  it('survives an error of the API, and dies of a crash', async () => {
    const live = start();
    expect(await live.turn('fail with 429')).toMatchObject({
      is_error: true,
      api_error_status: 429,
      terminal_reason: 'api_error',
    });
    expect(await live.turn('fail')).toMatchObject({ subtype: 'error_during_execution', is_error: true });
    expect(await live.turn('wait 1 second')).toMatchObject({ result: 'Working Done: that was 1 s.' });
    live.user('crash');
    expect(await live.exit).toEqual({ code: null, signal: 'SIGKILL' });
    const failing = start();
    await failing.turn('fail with 429');
    expect(await failing.end()).toEqual({ code: 1, signal: null });
  });

  it('stops at the limit of turns, in each turn anew', async () => {
    const live = start(['--max-turns', '1']);
    for (let count = 0; count < 2; count++)
      expect(await live.turn('list files')).toMatchObject({ subtype: 'error_max_turns', is_error: true });
    expect(await live.turn('count to 2')).toMatchObject({ result: '1 2' });
  });

  it('runs a tool for as long as it is asked to, also when nothing else takes time', async () => {
    const live = start(bypassing);
    const before = performance.now();
    expect(await live.turn('run a tool for 0.4 seconds')).toMatchObject({
      result: 'The tool ran for 0.4 s.',
    });
    expect(performance.now() - before).toBeGreaterThan(390);
    const fast = start(bypassing, { TURNOUT_DEMO_SPEED: '1000' });
    expect(await fast.turn('run a tool for 100 seconds')).toMatchObject({ is_error: false });
  });

  it.skipIf(process.platform === 'win32')(
    'leaves a child behind that is in a session of its own',
    async () => {
      const live = start(bypassing);
      const pid = Number(/\[1\] (\d+)/.exec(String((await live.turn('start a child'))['result']))?.[1]);
      try {
        await live.end();
        expect(() => process.kill(pid, 0)).not.toThrow();
        if (process.platform === 'linux') {
          const [, , , , group, session] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
          expect([group, session]).toEqual([String(pid), String(pid)]);
        }
      } finally {
        process.kill(pid, 'SIGKILL');
      }
    },
  );

  it.skipIf(process.platform === 'win32')(
    'leaves on SIGINT with exit 0, after the running turn’s result',
    async () => {
      const idle = start();
      await idle.turn('hello');
      idle.child.kill('SIGINT');
      expect(await idle.exit).toEqual({ code: 0, signal: null });
      const busy = start();
      busy.user('hang');
      busy.user('count to 2');
      await busy.until((line) => line['subtype'] === 'init');
      busy.child.kill('SIGINT');
      expect(await busy.exit).toEqual({ code: 0, signal: null });
      expect(busy.of('result')).toMatchObject([{ terminal_reason: 'aborted_streaming' }]);
    },
  );

  it('refuses another output format', async () => {
    const live = new Live(['-p', '--input-format', 'stream-json', '--output-format', 'json']);
    expect(await live.exit).toEqual({ code: 1, signal: null });
    expect(live.stderr).toContain('--input-format=stream-json requires output-format=stream-json');
  });
});

interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A live process, driven by hand. */
class Live {
  readonly child: ChildProcess;
  readonly lines: Line[] = [];
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stderr = '';
  #requests = 0;
  #waiting: (() => void)[] = [];

  constructor(args: readonly string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [program, ...args], { cwd, env: environment(env) });
    started.add(this);
    // A process that has died in the meantime takes no input; what it said is what the test looks at.
    this.child.stdin?.on('error', () => undefined);
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    if (this.child.stdout === null) throw new Error('There is no stdout.');
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      this.lines.push(JSON.parse(line) as Line);
      this.#changed();
    });
    this.exit = new Promise((left) => {
      this.child.once('close', (code, signal) => {
        left({ code, signal });
        this.#changed();
      });
    });
  }

  send(message: object): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  user(content: unknown, more: object = {}): void {
    this.send({ type: 'user', message: { role: 'user', content }, ...more });
  }

  async turn(content: unknown, more: object = {}): Promise<Line> {
    const before = this.of('result').length;
    this.user(content, more);
    await this.until((line) => line.type === 'result' && this.of('result').indexOf(line) === before);
    return this.of('result')[before] as Line;
  }

  async control(request: object): Promise<Line> {
    const id = `r${++this.#requests}`;
    this.send({ type: 'control_request', request_id: id, request });
    const answers = (line: Line) => (line['response'] as Line | undefined)?.['request_id'] === id;
    return (await this.until((line) => line.type === 'control_response' && answers(line)))[
      'response'
    ] as Line;
  }

  /** The question with this number. */
  async question(number = 0): Promise<{ id: string; request: Line }> {
    await this.until(() => this.of('control_request').length > number);
    const line = this.of('control_request')[number] as Line;
    return { id: String(line['request_id']), request: line['request'] as Line };
  }

  answer(id: string, response: object): void {
    this.send({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
  }

  of(type: string, subtype?: string): Line[] {
    return this.lines.filter(
      (line) => line.type === type && (subtype === undefined || line['subtype'] === subtype),
    );
  }

  async until(wanted: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.lines.find(wanted);
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`The process has left: ${this.stderr}`);
      }
      await new Promise<void>((changed) => {
        this.#waiting.push(changed);
      });
    }
  }

  #changed(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  end(): Live['exit'] {
    this.child.stdin?.end();
    return this.exit;
  }
}

function start(args: readonly string[] = [], env: Record<string, string> = {}): Live {
  const live = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  return new Live([...live, ...args], env);
}

/** Built from nothing, but for the mark by which the whole suite finds processes that were left behind. */
function environment(extra: Record<string, string>): Record<string, string> {
  const { PATH = '', TURNOUT_SUITE = '' } = process.env;
  const places = { HOME: join(place, 'user'), TURNOUT_HOME: join(place, 'home') };
  return { PATH, TURNOUT_SUITE, ...places, TURNOUT_DEMO_SPEED: '0', ...extra };
}

function sleep(ms: number): Promise<void> {
  return new Promise((over) => setTimeout(over, ms));
}
