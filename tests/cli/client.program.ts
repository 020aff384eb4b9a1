import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { directory, exitCode, type Run, startProgram, url } from '../gateway/program.js';
import { eventually } from '../gateway/stage.js';
import { buildOnce, demoAgent, startTurnout, turnout } from '../unit/cli/turnout.js';

beforeAll(buildOnce);

interface Stage {
  readonly home: string;
  readonly root: string;
  start(env?: Record<string, string>): Promise<Run>;
  run(args: readonly string[], stdin?: string): ReturnType<typeof turnout>;
  begin(args: readonly string[]): Begun;
}

interface Begun {
  readonly child: ChildProcess;
  out: string;
  err: string;
  readonly code: Promise<number | null>;
}

/** A home for gateways over the demo agent, and a user of the same machine. */
function setUp(settings: Record<string, string> = {}): Stage {
  const root = directory();
  const home = join(root, 'home');
  mkdirSync(join(root, 'work'));
  const place = {
    workingDir: join(root, 'work'),
    env: { PATH: '/usr/bin:/bin', HOME: root, TURNOUT_HOME: home },
  };
  return {
    root,
    home,
    async start(env = {}) {
      const gateway = startProgram(root, {
        ...{ TURNOUT_HOME: home, AGENT_BACKEND: 'claude', BACKEND_CLI_PATH: demoAgent },
        ...{ WORK_TREE_CHANGES: '0', SHUTDOWN_GRACE_MS: '0' },
        ...settings,
        ...env,
      });
      await url(gateway);
      return gateway;
    },
    run: (args, stdin) => turnout(place, args, stdin === undefined ? {} : { stdin }),
    begin(args) {
      const child = startTurnout(place, args);
      onTestFinished(() => void child.kill('SIGKILL'));
      const begun: Begun = {
        child,
        out: '',
        err: '',
        code: new Promise((resolve) => child.once('close', resolve)),
      };
      child.stdout?.setEncoding('utf8').on('data', (text: string) => (begun.out += text));
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (begun.err += text));
      return begun;
    },
  };
}

async function kill({ child }: Run): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe('a client of the gateway (18.5)', () => {
  it('says that no gateway is running, and how to start one: exit code 3', async () => {
    const { run } = setUp();
    for (const args of [
      ['send', 'main', 'hi'],
      ['tail', 'main'],
      ['status'],
      ['permissions'],
      ['send', 'main', 'hi', '--wait'],
    ]) {
      const { code, stderr, stdout } = await run(args);
      expect([code, stdout], args.join(' ')).toEqual([3, '']);
      expect(stderr).toMatch(/^turnout: No gateway is running in .*\nStart it with `turnout gateway`/);
    }
    expect(await run(['status', '--url', 'http://127.0.0.1:9/#token=x'])).toMatchObject({ code: 3 });
    // A program that reads JSON is told, too.
    expect(JSON.parse((await run(['status', '--json'])).stdout)).toEqual({
      running: false,
      error: { code: 'network', message: expect.stringContaining('No gateway is running') },
    });
  });

  it('names what is wrong with its arguments: exit code 2', async () => {
    const { run } = setUp();
    for (const [args, words] of [
      [['send'], 'a channel is expected'],
      [['send', 'a/b', 'hi'], "can't be a channel"],
      [['send', 'main', '  '], 'The message is blank'],
      [['gateway', '--port', '99999'], '--port expects a number from 0 to 65535'],
      [['gateway', '-b', 'demo'], '`turnout gateway --demo` starts one'],
      [['gateway', '-b', 'codx'], '--backend'],
      [['send', 'main', 'hi', '--wat'], 'There is no option --wat. Did you mean --wait?'],
      [['send', 'main', 'hi', '--timeout', '3'], '--timeout is for --wait'],
      [['tail', 'main', 'other'], 'one channel is expected'],
      [['permissions', 'alow', 'x'], 'Did you mean "allow"?'],
      [['permissions', 'allow'], 'one id is expected behind allow'],
      [['status', '--url', 'nowhere'], '--url expects an address'],
      [['status', '--url', 'http://127.0.0.1:9'], 'There is no token for'],
      [['status', '--output', 'xml'], '--output expects one of text, json'],
      [['schedule', 'x'], 'unexpected'],
      [['history', '--follow'], 'a channel is expected'],
    ] as const) {
      const { code, stderr } = await run(args);
      expect([args.join(' '), code]).toEqual([args.join(' '), 2]);
      expect(stderr).toContain(words);
    }
  });

  it('sends, waits for the answer, and ends with the turn’s exit code', async () => {
    const { start, run } = setUp();
    await start();
    const waited = await run(['send', 'main', 'say exactly: hello there', '--wait']);
    expect(waited).toEqual({ code: 0, stdout: 'hello there\n', stderr: '' });
    const piped = await run(['send', 'main', '--wait', '--json'], 'say exactly: from stdin');
    expect(JSON.parse(piped.stdout)).toMatchObject({ state: 'answered', responseText: 'from stdin' });
    const sent = await run(['send', 'main', 'say exactly: later', '--json', '--id', 'key-1']);
    const { eventId, messageId } = JSON.parse(sent.stdout);
    expect(messageId).toBe('key-1');
    // The same id is the same message, and has its answer.
    const again = await run([
      'send',
      'main',
      'say exactly: other',
      '--wait',
      '--output',
      'json',
      '--id',
      'key-1',
    ]);
    expect(JSON.parse(again.stdout)).toMatchObject({ eventId, responseText: 'later' });
    expect(await run(['send', 'main', '/help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('/allow [id]'),
    });
    const failed = await run(['send', 'main', 'fail with 401', '--wait']);
    expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('401') });
  });

  it('needs the token of a gateway that was started with one of its own', async () => {
    const { start, run } = setUp({ HTTP_TOKEN: 'own-token' });
    await start();
    expect(await run(['status'])).toMatchObject({ code: 1, stderr: expect.stringContaining('HTTP_TOKEN') });
  });

  it('lists what agents ask for, and answers it', async () => {
    const stage = setUp({ PERMISSION_MODE: 'ask', MAX_QUEUE_DEPTH: '1' });
    const { start, run, begin } = stage;
    await start();
    const tail = begin(['tail', 'main']);
    await eventually(() => tail.err.includes('nothing was said in main yet'));
    expect(await run(['permissions'])).toMatchObject({ code: 0, stdout: 'Nothing is asked.\n' });
    const sending = begin(['send', 'main', 'write a note: buy milk', '--wait']);
    await eventually(() => sending.err.includes('waits for a permission'));
    const [, id = ''] = /permissions allow ([0-9a-f]{8})/.exec(sending.err) ?? [];
    expect((await run(['permissions'])).stdout).toMatch(
      new RegExp(`^${id} +main +.*s +Write: demo-note.txt`, 'm'),
    );
    const always = '“always” allows, until the session ends:\n  every edit of a file\n  the commands mkdir,';
    for (const shown of [['permissions'], ['permissions', 'show', id]])
      expect((await run(shown)).stdout).toContain(always);
    expect((await run(['permissions', 'show', id])).stdout).toContain('+buy milk');
    expect((await run(['status'])).stdout).toMatch(
      new RegExp(`main +asks for .*\\n\\n\\? ${id}  Write: demo-note.txt`),
    );
    // One waits, one more does not fit.
    expect(await run(['send', 'other', 'hello'])).toMatchObject({ code: 0 });
    expect(await run(['send', 'main', 'say exactly: next', '--json'])).toMatchObject({ code: 0 });
    const full = await run(['send', 'main', 'one more']);
    expect(full).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('The queue is full') });
    expect(await run(['permissions', 'allow', 'ffff'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No question'),
    });
    expect(await run(['permissions', 'allow', id])).toMatchObject({
      code: 0,
      stdout: 'Allowed: Write: demo-note.txt (main)\n',
    });
    expect(await sending.code).toBe(0);
    expect(sending.out).toContain('demo-note.txt');
    expect(existsSync(join(stage.root, 'work', 'demo-note.txt'))).toBe(true);
    await eventually(() => tail.out.includes('next\n'));
    expect(tail.out).toContain(`? Write: demo-note.txt\n  turnout permissions allow ${id}`);
    expect(tail.out).toContain('[Write] demo-note.txt\n');
    tail.child.kill('SIGINT');
    expect(await tail.code).toBe(0);
  });

  it('stops waiting on Ctrl-C or after a time, and says how to stop the turn', async () => {
    const { start, run, begin } = setUp();
    await start();
    const late = await run(['send', 'main', 'wait 300 seconds', '--wait', '--timeout', '3']);
    expect(late).toMatchObject({ code: 124, stderr: expect.stringContaining('`turnout send main /stop`') });
    const waiting = begin(['send', 'main', 'say exactly: next', '--wait']);
    await eventually(
      async () => JSON.parse((await run(['status', '--json'])).stdout).queue.waiting.length === 1,
    );
    waiting.child.kill('SIGINT');
    expect(await waiting.code).toBe(130);
    expect(waiting.err).toContain('not waiting any more');
    const stopped = begin(['send', 'other', 'wait 300 seconds', '--wait']);
    await eventually(
      async () => JSON.parse((await run(['status', '--json'])).stdout).queue.running.length === 2,
    );
    expect((await run(['send', 'other', '/stop'])).stdout).toBe('Stopped.\n');
    expect(await stopped.code).toBe(130);
    expect(stopped.err).toContain('Stopped by /stop');
  });

  it('explains a token that is refused', async () => {
    const { home, start, run } = setUp();
    const gateway = await start();
    writeFileSync(join(home, 'http-token'), 'another-token\n', { mode: 0o600 });
    const address = await url(gateway);
    for (const args of [
      ['status'],
      ['tail', 'main'],
      ['send', 'main', 'x', '--wait'],
      ['status', '--url', `${address}#token=x`],
    ])
      expect(await run(args)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('does not take the token'),
      });
    rmSync(join(home, 'http-token'));
    expect(await run(['status'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("http-token can't be read"),
    });
  });

  it('tail and history --follow go on over a kill -9 of the gateway: nothing lost, nothing twice', async () => {
    const { start, run, begin } = setUp();
    const first = await start();
    await run(['send', 'main', 'say exactly: before', '--wait']);
    const tail = begin(['tail', 'main', '--json']);
    const history = begin(['history', 'main', '--follow']);
    await eventually(() => tail.out.includes('"connected"') && history.out.includes('before\n'));
    await kill(first);
    await eventually(() => tail.err.includes('is lost') && history.err.includes('is lost'));
    const second = await start();
    // Before the readers are back, perhaps.
    for (const word of ['one', 'two']) await run(['send', 'main', `say exactly: ${word}`, '--wait']);
    await kill(second);
    await start();
    await run(['send', 'main', 'say exactly: three', '--wait']);
    const said = () =>
      tail.out
        .split('\n')
        .filter((line) => line.startsWith('{"type":"said"'))
        .map((line) => JSON.parse(line).message.text);
    await eventually(() => said().includes('three') && count(history.out, '    three\n') === 1);
    expect(said()).toEqual(['one', 'two', 'three'].flatMap((word) => [`say exactly: ${word}`, word]));
    for (const word of ['before', 'one', 'two', 'three']) expect(count(history.out, `    ${word}\n`)).toBe(1);
    for (const reader of [tail, history]) {
      reader.child.kill('SIGINT');
      expect(await reader.code).toBe(0);
    }
  });

  it('tail and history --follow go on with what is new after a backup was restored (27.17)', async () => {
    const { home, start, run, begin } = setUp();
    const send = (...words: string[]) =>
      words.reduce(
        (before, word) => before.then(() => run(['send', 'main', `say exactly: ${word}`, '--wait'])),
        Promise.resolve<unknown>(undefined),
      );
    const stop = async (gateway: Run) => {
      gateway.child.kill('SIGTERM');
      expect(await exitCode(gateway)).toBe(0);
    };
    const first = await start();
    await send('one');
    await stop(first);
    const backup = readFileSync(join(home, 'turnout.db'));
    const second = await start();
    await send('two', 'three');
    const tail = begin(['tail', 'main', '--json']);
    const history = begin(['history', 'main', '--follow']);
    await eventually(() => tail.out.includes('"connected"') && history.out.includes('    three\n'));
    // A place in the stream, behind which it goes on.
    await send('four');
    await eventually(() => history.out.includes('    four\n') && tail.out.includes('"text":"four"'));
    await stop(second);
    writeFileSync(join(home, 'turnout.db'), backup);
    await start();
    await send('five', 'six');
    await eventually(() => history.out.includes('    six\n') && tail.out.includes('"text":"six"'));
    for (const word of ['one', 'two', 'three', 'four', 'five', 'six'])
      expect(count(history.out, `    ${word}\n`)).toBe(1);
    expect(history.err).toContain('a backup was restored');
    for (const reader of [tail, history]) {
      reader.child.kill('SIGINT');
      expect(await reader.code).toBe(0);
    }
  });

  it('send --wait goes on over a kill -9 of the gateway, and prints the answer once', async () => {
    const { start, begin } = setUp({ TURNOUT_DEMO_SPEED: '2' });
    const first = await start();
    const sending = begin(['send', 'main', 'count to 20 slowly', '--wait']);
    await eventually(() => sending.out.includes('4'));
    await kill(first);
    await eventually(() => sending.err.includes('is lost'));
    await start();
    expect(await sending.code).toBe(0);
    const numbers = sending.out.match(/\d+/g)?.map(Number);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(sending.err).toContain('It is tried again');
  });

  it('shows the next runs, of a running gateway and of the files', async () => {
    const { home, start, run } = setUp({ OUTPUT_CHANNEL_ID: 'ops' });
    mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 });
    writeFileSync(
      join(home, 'config', 'heartbeat.md'),
      '---\ninterval: 30m\nchannel: ops\n---\nLook around.\n',
    );
    writeFileSync(
      join(home, 'config', 'cron.md'),
      '## Report\n- schedule: `0 9 * * *`\n- channel: ops\n- timezone: UTC\n\nSummarise.\n',
    );
    for (const running of [false, true]) {
      if (running) await start();
      const { schedules, ...rest } = JSON.parse((await run(['schedule', '--json'])).stdout);
      expect(rest).toEqual({ running, problems: [] });
      expect(
        schedules.map(({ name, times, channel }: Record<string, string>) => [name, times, channel]).sort(),
      ).toEqual([
        ['Report', '0 9 * * * (UTC)', 'ops'],
        ['heartbeat', 'every 30m', 'ops'],
      ]);
      const next = schedules.find(({ name }: { name: string }) => name === 'heartbeat').nextRunAt;
      expect(Date.parse(next) - Date.now()).toBeGreaterThan(28 * 60_000);
    }
    expect((await run(['schedule'])).stdout).toMatch(/^NEXT +WHAT +CHANNEL +WHEN\n/);
    writeFileSync(join(home, 'config', 'cron.md'), '## Report\n- schedule: 99 9 * * *\n\nSummarise.\n');
    expect(await run(['schedule'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Report'),
      stderr: expect.stringMatching(/cron.md line 1, "Report".*\n.*until that is right/),
    });
  });

  it('goes quietly when its reader does', async () => {
    const { start, begin } = setUp();
    await start();
    const tail = begin(['tail', 'main', '--json']);
    await once(tail.child.stdout ?? tail.child, 'data');
    tail.child.stdout?.destroy();
    const other = begin(['send', 'main', 'count to 3', '--wait']);
    expect(await other.code).toBe(0);
    expect(await tail.code).toBe(0);
    expect(tail.err).not.toContain('Error');
  });
});
