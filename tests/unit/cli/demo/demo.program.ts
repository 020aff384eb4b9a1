import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished } from 'vitest';
import { it, type Stage } from '../../../contract/stage.js';
import { buildOnce, finished, program, startTurnout, turnout } from '../turnout.js';

beforeAll(buildOnce);

interface Demo {
  readonly child: ChildProcess;
  readonly url: URL;
  readonly token: string;
  readonly done: ReturnType<typeof finished>;
}

const quick = { TURNOUT_DEMO_SPEED: '0', NODE_NO_WARNINGS: '1' };

/** Starts a demo and reads its address, as a person or a program would. */
async function startDemo(
  stage: Stage,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Demo> {
  const child = startTurnout(stage, ['demo', '--no-open', ...args], { env: { ...quick, ...env } });
  onTestFinished(() => {
    if (child.exitCode === null) child.kill('SIGKILL');
  });
  const done = finished(child);
  let out = '';
  while (!out.includes('\n')) {
    const [chunk] = await Promise.race([once(child.stdout ?? child, 'data'), done.then((end) => [end])]);
    if (typeof chunk === 'object') throw new Error(`It did not start: ${JSON.stringify(chunk)}`);
    out += chunk;
  }
  const [, address = '', token = ''] = /^Open (http:\/\/\S+\/)#token=(\S+)\n$/.exec(out) ?? [];
  return { child, url: new URL(address), token, done };
}

async function call(demo: Demo, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(new URL(path, demo.url), {
    headers: { authorization: `Bearer ${demo.token}` },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** Reads a channel's events, up to the one that is enough. */
async function follow(
  demo: Demo,
  channel: string,
  isLast: (data: Data) => Promise<boolean>,
): Promise<number> {
  const response = await fetch(new URL(`/v1/channels/${channel}/events`, demo.url), {
    headers: { authorization: `Bearer ${demo.token}` },
  });
  let frames = 0;
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data:')) continue;
      frames += 1;
      if (await isLast(JSON.parse(line.slice(5)) as Data)) return frames;
    }
  }
  return frames;
}

type Data = Readonly<Record<string, unknown>>;

async function permission(demo: Demo): Promise<Record<string, unknown>> {
  for (;;) {
    const { permissions } = (await call(demo, '/v1/permissions')) as {
      permissions: Record<string, unknown>[];
    };
    if (permissions[0] !== undefined) return permissions[0];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function end({ child, done }: Demo): Promise<void> {
  child.kill('SIGINT');
  expect(await done).toMatchObject({ code: 0 });
}

describe('turnout demo (16.6)', () => {
  it('serves the page, asks before it edits, tells its address to a second one, and ends at Ctrl-C', async ({
    stage,
  }) => {
    const demo = await startDemo(stage, ['--port', '0']);
    const file = join(stage.home, 'demo', 'work', 'src', 'hello.ts');
    const decide = async (decision: string) => {
      const asked = await permission(demo);
      expect(asked).toMatchObject({ tool: 'Edit', input: { file_path: file } });
      await call(demo, `/v1/permissions/${asked['id']}`, { decision });
    };
    // The first conversation begins when somebody looks at it, and only once.
    const frames = await follow(demo, 'welcome', async ({ type, text, backend }) => {
      if (type === 'session') expect(backend).toBe('demo');
      if (type === 'permission_request') await decide('deny');
      return type === 'complete' && String(text).startsWith('You said no');
    });
    expect(frames).toBeGreaterThan(10);
    expect(readFileSync(file, 'utf8')).not.toContain('Welcome aboard');
    await follow(demo, 'welcome', async () => true);
    const { eventId } = await call(demo, '/v1/channels/main/messages', { text: 'Show me around' });
    await decide('allow');
    expect(await call(demo, `/v1/events/${eventId}?wait=20`)).toMatchObject({
      state: 'answered',
      responseText: expect.stringMatching(/^Done: /),
    });
    expect(readFileSync(file, 'utf8')).toContain('Welcome aboard');
    const { messages } = (await call(demo, '/v1/channels/welcome/messages')) as { messages: Data[] };
    expect(messages.filter(({ role }) => role !== 'system')).toMatchObject([
      { role: 'user', text: 'Show me around' },
      { role: 'assistant', backend: 'demo' },
    ]);
    const opened = `${demo.url}#token=${demo.token}\n`;
    expect(await turnout(stage, ['demo', '--port', '1'])).toEqual({
      code: 0,
      stdout: `Open ${opened}`,
      stderr: expect.stringContaining('running already'),
    });
    expect(await turnout(stage, ['gateway', '--demo', '--url'])).toMatchObject({ code: 0, stdout: opened });
    const elsewhere = [
      [['gateway', '--url'], 3, 'The demo is: `turnout gateway --url --demo` prints'],
      [['history', 'main'], 1, 'A demo has some: --demo reads it.'],
    ] as const;
    for (const [args, code, hint] of elsewhere)
      expect(await turnout(stage, args)).toMatchObject({
        code,
        stdout: '',
        stderr: expect.stringContaining(hint),
      });
    await end(demo);
    expect(existsSync(join(stage.home, 'demo/gateway.address'))).toBe(false);
    expect(await turnout(stage, ['gateway', '--demo', '--url'])).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('No gateway is running'),
    });
  });

  it('takes another port if its own is taken, unless that one was asked for', async ({ stage }) => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    for (const refused of [
      await turnout(stage, ['demo', '--port', String(port)]),
      await turnout(stage, ['demo'], { env: { HTTP_PORT: String(port) } }),
    ])
      expect(refused).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`${port}: it is in use`),
      });
    // 8420 may be free on this machine, or not: one of the two listens somewhere else in any case.
    const holder = createServer().on('error', () => undefined);
    holder.listen(8420, '127.0.0.1');
    onTestFinished(() => void holder.close());
    const demo = await startDemo(stage, []);
    expect(demo.url.port).not.toBe('8420');
    await end(demo);
  });

  it('an address that a killed one has left is not shown, and the next one starts', async ({ stage }) => {
    const first = await startDemo(stage, ['--port', '0']);
    first.child.kill('SIGKILL');
    await first.done;
    expect(existsSync(join(stage.home, 'demo/gateway.address'))).toBe(true);
    expect(await turnout(stage, ['gateway', '--demo', '--url'])).toMatchObject({ code: 3, stdout: '' });
    const second = await startDemo(stage, ['--port', '0', '--host', '::1']);
    expect(second.url.hostname).toBe('[::1]');
    await end(second);
  });

  it('with a token of the settings, a second one needs it too', async ({ stage }) => {
    const HTTP_TOKEN = 'a-token-for-the-tests';
    const demo = await startDemo(stage, ['--port', '0'], { HTTP_TOKEN });
    expect(demo.token).toBe(HTTP_TOKEN);
    const known = await turnout(stage, ['demo'], { env: { HTTP_TOKEN } });
    expect(known.stdout).toBe(`Open ${demo.url}#token=${HTTP_TOKEN}\n`);
    const unknown = await turnout(stage, ['demo']);
    expect(unknown).toMatchObject({ code: 0, stdout: `Open ${demo.url}\n` });
    expect(unknown.stderr).toContain('HTTP_TOKEN');
    await end(demo);
  });

  it('--text is one turn in the terminal, in the current directory', async ({ stage }) => {
    writeFileSync(join(stage.workingDir, 'README.md'), 'Mine.\n');
    const env = quick;
    const looked = await turnout(stage, ['demo', '--text'], { env });
    expect(looked).toMatchObject({ code: 0, stdout: expect.stringContaining('Mine.') });
    const asked = await turnout(stage, ['demo', '--text', 'say exactly:', 'hi'], { env });
    expect(asked).toMatchObject({ code: 0, stdout: 'hi\n' });
    const failed = await turnout(stage, ['demo', 'fail with 429'], { env });
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Demo tries again[\s\S]*Demo CLI error/),
    });
    for (const args of [['--text', '--port', '1'], ['--port', 'x'], ['--nope']])
      expect(await turnout(stage, ['demo', ...args])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(args.find((word) => /^--(port|nope)/.test(word)) ?? ''),
      });
    expect(await turnout(stage, ['run', '--backend', 'demo', 'hi'])).toMatchObject({ code: 0 });
  });

  it('says in words that its directory can’t be made, and does not hang there (16.9)', async ({ stage }) => {
    for (const args of [['--text'], ['--no-open']]) {
      const { code, stderr } = await turnout(stage, ['demo', ...args, '--home', '/dev/null/turnout']);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/^turnout: The data directory .* can't be used: .*\nSet TURNOUT_HOME/);
    }
  });
});

describe('turnout gateway (16.6)', () => {
  it('shows the token on a terminal only', async ({ stage }) => {
    const script = (command: string) =>
      spawnSync('script', ['-qec', command, '/dev/null'], { env: { ...stage.env }, encoding: 'utf8' });
    if (script('true').status !== 0) return;
    const start = `timeout -s INT 3 ${process.execPath} ${program} gateway --demo --port 0`;
    const shown = script(start).stdout;
    const token = readFileSync(join(stage.home, 'demo/http-token'), 'utf8').trim();
    expect(shown).toMatch(new RegExp(`^Open http://127\\.0\\.0\\.1:\\d+/#token=${token}\\r?$`, 'm'));
    expect(script(`${start} | cat`).stdout).not.toContain(token);
  });
});
