import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { defaultPoolLimits } from '../../src/config/limits.js';
import { Host } from '../../src/host/host.js';
import { NativeRun } from '../unit/cli/native-run.js';
import { buildOnce, demoAgent, finished, program, startTurnout, turnout } from '../unit/cli/turnout.js';
import { warmStages } from './warm-stage.js';

beforeAll(buildOnce);
const warmStage = warmStages();

describe('turnout run --warm (18.7)', () => {
  it('answers with the same process again and again, each time in a new session', async () => {
    const stage = warmStage();
    const first = await stage.json('remember that the signal is green');
    const [agent] = stage.agents();
    const second = await stage.json('what do you remember');
    expect(second.responseText).not.toContain('green');
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(stage.agents()).toEqual([agent]);
    expect(statSync(stage.socket).mode & 0o777).toBe(0o600);
    expect(statSync(join(stage.socket, '..')).mode & 0o777).toBe(0o700);
    expect(await stage.status()).toMatchObject({ turns: 0, warm: [{ backend: 'claude', processes: 1 }] });
  });

  it('goes on with a session by its id and with --continue, warm and cold in turns', async () => {
    const stage = warmStage();
    const { sessionId } = await stage.json('remember that the signal is green');
    const cold = await turnout(stage.place, ['run', 'remember that the tea is hot', '--resume', sessionId]);
    expect(cold.code).toBe(0);
    expect((await stage.json('what do you remember', ['--resume', sessionId])).responseText).toMatch(
      /green[\s\S]*hot/,
    );
    expect((await stage.json('what do you remember', ['--continue'])).responseText).toMatch(
      /green[\s\S]*hot/,
    );
    const again = await turnout(stage.place, ['run', 'what did I say before', '--continue']);
    expect(again.stdout).toContain('hot');
  });

  it('prints the same as a cold run, in every format, and exits with the same code', async () => {
    const stage = warmStage();
    await stage.run('hello');
    for (const prompt of [
      'hello',
      'look around',
      'fail',
      'fail with 429',
      'say nothing',
      'think about railways',
    ])
      for (const output of ['text', 'json', 'stream-json']) {
        const warm = await stage.run(prompt, ['--output', output]);
        const cold = await turnout(stage.place, ['run', '--live', prompt, '--output', output]);
        expect({ ...warm, stdout: plain(warm.stdout) }, `${prompt} ${output}`).toEqual({
          ...cold,
          stdout: plain(cold.stdout),
        });
      }
  });

  it('callers with another directory, environment, model or system prompt have another process', async () => {
    // All of them have room.
    const stage = warmStage({ POOL_MAX_PROCESSES: '9' });
    await stage.run('hello');
    const kinds = async () => (await stage.status())?.warm.length;
    expect(await kinds()).toBe(1);
    const others: readonly [readonly string[], Record<string, string>][] = [
      [['--cwd', stage.stage.directory], {}],
      [[], { SOME_VARIABLE: 'changed' }],
      [['--model', 'another'], {}],
      [['--system-prompt', 'Be brief.'], {}],
      [['--permission-mode', 'plan'], {}],
      [['--mcp-config', '{"mcpServers":{}}'], {}],
    ];
    for (const [i, [args, env]] of others.entries()) {
      expect((await stage.run('hello', args, { env })).code).toBe(0);
      expect(await kinds(), args.join(' ')).toBe(i + 2);
    }
    // Each of them is found again: the same text of MCP servers too, which is another file each time.
    for (const [args, env] of others) await stage.run('hello', args, { env });
    // A shell's own notes make no difference.
    await stage.run('hello', [], { env: { SHLVL: '7', OLDPWD: '/', _: '/bin/x' } });
    expect(await kinds()).toBe(others.length + 1);
  });

  it('a changed CLI, or a changed file of its configuration, is seen by the next run', async () => {
    const stage = warmStage();
    await stage.run('hello');
    const before = stage.agents();
    writeFileSync(join(stage.stage.workingDir, 'CLAUDE.md'), 'Be brief.');
    await stage.run('hello');
    await expect.poll(() => stage.agents().some((pid) => before.includes(pid))).toBe(false);

    const script = (note: string) => stage.stage.program('agent', `# ${note}\nexec node ${demoAgent} "$@"`);
    const env = { BACKEND_CLI_PATH: script('old') };
    const others = stage.agents();
    await stage.run('hello', [], { env });
    const old = stage.agents().filter((pid) => !others.includes(pid));
    script('updated');
    expect((await stage.run('hello', [], { env })).code).toBe(0);
    await expect.poll(() => stage.agents().some((pid) => old.includes(pid))).toBe(false);
  });

  it('Ctrl-C and a killed client end the turn, and the CLI is as good as before', async () => {
    const stage = warmStage();
    await stage.run('hello');
    const atPace = { env: { TURNOUT_DEMO_SPEED: '1' } };
    const child = startTurnout(stage.place, ['run', '--warm', 'wait 60 seconds'], atPace);
    const output = finished(child);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill('SIGINT');
    expect(await output).toMatchObject({ code: 130 });
    expect(await stage.status()).toMatchObject({ turns: 0 });

    const killed = startTurnout(stage.place, ['run', '--warm', 'wait 60 seconds'], atPace);
    await new Promise((resolve) => killed.stdout?.once('data', resolve));
    killed.kill('SIGKILL');
    await expect.poll(async () => (await stage.status())?.turns).toBe(0);
    expect((await stage.run('say exactly: fine')).stdout).toBe('fine\n');
  });

  it('asks in the terminal for a permission', async () => {
    const stage = warmStage();
    const ask = () =>
      new NativeRun(stage.place, [
        process.execPath,
        program,
        'run',
        '--warm',
        '--permission-mode',
        'ask',
        'write a note: buy milk',
      ]);
    const no = ask();
    await no.until('allow it?');
    await no.type('n\r');
    expect(await no.exitCode).toBe(0);
    expect(existsSync(join(stage.stage.workingDir, 'demo-note.txt'))).toBe(false);
    const yes = ask();
    await yes.until('allow it?');
    await yes.type('y\r');
    expect(await yes.exitCode).toBe(0);
    expect(readFileSync(join(stage.stage.workingDir, 'demo-note.txt'), 'utf8')).toContain('buy milk');
    expect((await stage.status())?.warm).toHaveLength(1);
  });

  it('what a turn has left running is ended with it', async () => {
    const stage = warmStage();
    await stage.run('hello');
    await stage.run('start a child');
    await expect
      .poll(() => stage.processes().filter(({ command }) => !/host serve|demo-agent/.test(command)))
      .toEqual([]);
  });

  it('a process that can’t serve another session is replaced before the next run comes', async () => {
    const stage = warmStage();
    await stage.run('hello');
    const [before] = stage.agents();
    await stage.run('look around');
    await expect.poll(() => stage.agents().filter((pid) => pid !== before).length).toBe(1);
    const [ready] = stage.agents();
    expect((await stage.run('say exactly: fine')).stdout).toBe('fine\n');
    expect(stage.agents()).toEqual([ready]);
  });

  it('RUN_WARM is the same as --warm', async () => {
    const stage = warmStage();
    await turnout(stage.place, ['run', 'hello'], { env: { RUN_WARM: 'true' } });
    expect(await stage.status()).toMatchObject({ warm: [{ backend: 'claude' }] });
  });

  it('a run that a host can’t make is cold: raw arguments, --verbose, inside an agent’s turn, the demo agent', async () => {
    const stage = warmStage();
    expect((await stage.run('hello', ['--verbose'])).stderr).toContain('demo-agent');
    expect((await stage.run('hello', ['--', '--add-dir', '/tmp'])).code).toBe(0);
    expect((await stage.run('hello', [], { env: { TURNOUT_OWNER: '1.1@00' } })).code).toBe(0);
    // The host does not know it, and is not started for it.
    expect((await stage.run('hello', ['--backend', 'demo'])).code).toBe(0);
    expect(await stage.status()).toBeUndefined();
  });
});

describe('the host (18.7)', () => {
  it('makes room by ending what was not used for the longest time', async () => {
    const stage = warmStage({ POOL_MAX_PROCESSES: '2' });
    for (const model of ['one', 'two', 'three', 'four']) await stage.run('hello', ['--model', model]);
    await expect.poll(() => stage.agents().length).toBeLessThanOrEqual(2);
    expect((await stage.status())?.warm.map(({ model }) => model)).toEqual(['three', 'four']);
  });

  it('that has all its processes in use lets a further run be cold', async () => {
    const stage = warmStage({ POOL_MAX_PROCESSES: '2' });
    await stage.run('hello');
    const runs = await Promise.all([1, 2, 3, 4].map(() => stage.run('wait 2 seconds', ['--timeout', '9'])));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(
      (await stage.status())?.warm.reduce((sum, { processes }) => sum + processes, 0),
    ).toBeLessThanOrEqual(2);
  });

  it('ends by itself when nobody uses it', async () => {
    const stage = warmStage();
    await stage.run('hello', [], { env: { TURNOUT_HOST_IDLE_MS: '400' } });
    await expect.poll(() => stage.processes()).toEqual([]);
    expect(existsSync(stage.socket)).toBe(false);
  });

  it('of another build is asked to end, and the run is cold; the next one starts its own', async () => {
    const stage = warmStage();
    const { home } = stage.stage;
    const host = await Host.start({ home, build: 'another', limits: defaultPoolLimits, idleMs: 60_000 });
    expect((await stage.run('say exactly: cold')).stdout).toBe('cold\n');
    await host?.ended;
    expect((await stage.run('say exactly: warm')).stdout).toBe('warm\n');
    expect((await stage.status())?.warm).toHaveLength(1);
  });

  it('with another file mode mask than the caller’s does not run its turn', async () => {
    const stage = warmStage();
    await stage.run('hello');
    const run = `umask 077; exec "${process.execPath}" "${program}" run --warm 'write a note: private'`;
    const { status } = spawnSync('/bin/sh', ['-c', run], {
      cwd: stage.place.workingDir,
      env: stage.place.env,
    });
    expect(status).toBe(0);
    expect(statSync(join(stage.stage.workingDir, 'demo-note.txt')).mode & 0o777).toBe(0o600);
  });

  it('that was killed leaves no socket once Turnout is used again, warm or not (27.17)', async () => {
    const stage = warmStage();
    const uses = {
      'host status': () => turnout(stage.place, ['host', 'status']),
      'host stop': () => turnout(stage.place, ['host', 'stop']),
      run: () => turnout(stage.place, ['run', 'hello']),
    };
    for (const [name, use] of Object.entries(uses)) {
      await stage.run('hello');
      const host = (await stage.status())?.pid ?? 0;
      process.kill(host, 'SIGKILL');
      await expect.poll(() => stage.processes().some(({ pid }) => pid === host)).toBe(false);
      expect(existsSync(stage.socket)).toBe(true);
      writeFileSync(join(dirname(stage.socket), `new-${spawnSync('true').pid}-0123abcd.sock`), '');
      await use();
      expect([name, ...readdirSync(dirname(stage.socket))].filter((file) => /\.sock/.test(file))).toEqual([]);
    }
  });

  it('of which many start at once is one', async () => {
    const stage = warmStage();
    const runs = Array.from({ length: 6 }, (_, i) => stage.run(`say exactly: ${i}`));
    expect((await Promise.all(runs)).map(({ stdout }) => stdout)).toEqual(
      [0, 1, 2, 3, 4, 5].map((i) => `${i}\n`),
    );
    await expect
      .poll(() => stage.processes().filter(({ command }) => command.includes('host serve')).length)
      .toBe(1);
  });

  it('works in a home with a path that is too long for a socket', async () => {
    const stage = warmStage();
    const env = { TURNOUT_HOME: join(stage.stage.home, 'a'.repeat(60), 'b'.repeat(60)) };
    expect((await stage.run('hello', [], { env })).code).toBe(0);
    const status = await turnout(stage.place, ['host', 'status', '--json'], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({ warm: [{ backend: 'claude' }] });
    await turnout(stage.place, ['host', 'stop'], { env });
  });

  it('is not trusted if others may use its socket or its directory', async () => {
    const stage = warmStage();
    await stage.run('hello');
    const { pid } = (await stage.status()) ?? {};
    chmodSync(join(stage.socket, '..'), 0o755);
    expect((await stage.run('say exactly: cold')).stdout).toBe('cold\n');
    expect((await turnout(stage.place, ['host', 'status'])).stderr).toContain('is open to other users');
    chmodSync(join(stage.socket, '..'), 0o700);
    expect((await stage.status())?.pid).toBe(pid);
  });

  it('that is stopped (SIGSTOP) costs its clients a cold start, and never runs their turns later', async () => {
    const stage = warmStage();
    await stage.run('hello');
    const { pid = 0 } = (await stage.status()) ?? {};
    process.kill(pid, 'SIGSTOP');
    try {
      const note = 'write a note: once';
      expect((await stage.run(note)).code).toBe(0);
      writeFileSync(join(stage.stage.workingDir, 'demo-note.txt'), 'mine');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await sleep(500);
    expect(readFileSync(join(stage.stage.workingDir, 'demo-note.txt'), 'utf8')).toBe('mine');
    expect((await stage.run('say exactly: fine')).stdout).toBe('fine\n');
  });
});

/** Without what is another in each run. */
function plain(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replaceAll(/"id":"[^"]*"/g, '"id":"…"')
    .replaceAll(/"(?:cachedInputTokens|inputTokens|outputTokens|costUsd)":[\d.e-]+/g, '"n":0');
}
