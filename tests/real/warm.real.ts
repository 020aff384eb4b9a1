import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import type { HostStatus } from '../../src/host/messages.js';
import { NativeRun } from '../unit/cli/native-run.js';
import { buildOnce, finished, program, startTurnout, turnout } from '../unit/cli/turnout.js';
import { processesOf, setUpLab } from './set-up-lab.js';

beforeAll(buildOnce);

describe.each(vendorNames)('turnout run --warm, with %s (18.7)', (backend) => {
  const lab = setUpLab(backend);
  const run = (...args: readonly string[]) => turnout(lab.place, ['run', '--warm', ...args]);
  const cold = (...args: readonly string[]) => turnout(lab.place, ['run', ...args]);
  const json = async (...args: readonly string[]) => {
    const { stdout, stderr } = await run(...args, '--output', 'json');
    expect(stderr).toBe('');
    return JSON.parse(stdout) as { responseText: string; sessionId: string };
  };
  const status = async () => {
    const { stdout } = await turnout(lab.place, ['host', 'status', '--json']);
    return JSON.parse(stdout) as HostStatus;
  };
  /** The CLI's processes themselves, by what the host has started. */
  const clis = async () => {
    const { pid } = await status();
    return processesOf(lab.home).filter(({ parent }) => parent === pid);
  };

  afterAll(async () => {
    await turnout(lab.place, ['host', 'stop']);
    await vi.waitFor(() => expect(processesOf(lab.home)).toEqual([]), { timeout: 15_000 });
  }, 30_000);

  it('answers again and again without a new process, each time in a session of its own', async () => {
    lab.model.use(['The answer.']);
    const first = await json('question-one');
    expect(first.responseText).toBe('The answer.');
    const second = await json('question-two');
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(lab.model.turns.at(-1)?.rawBody).not.toContain('question-one');
    expect((await status()).warm).toMatchObject([{ backend, processes: 1 }]);
    const before = (await clis()).map(({ pid }) => pid);
    for (let i = 0; i < 3; i++) await json(`question-${i}`);
    expect((await clis()).map(({ pid }) => pid)).toEqual(before);
  });

  it('a session goes on, warm and cold in turns, with all that was said', async () => {
    lab.model.use(['ok']);
    const said: string[] = ['marked-0-'];
    const { sessionId } = await json('marked-0-');
    for (const [i, how] of [run, run, cold, run, cold, run, run].entries()) {
      const prompt = `marked-${i + 1}-`;
      const which = i % 2 === 0 ? ['--resume', sessionId] : ['--continue'];
      const { code, stdout } = await how(prompt, ...which, '--output', 'json');
      expect({ code, ...JSON.parse(stdout) }, prompt).toMatchObject({
        code: 0,
        responseText: 'ok',
        sessionId,
      });
      for (const before of said) expect(lab.model.turns.at(-1)?.rawBody, prompt).toContain(before);
      said.push(prompt);
    }
  });

  it('a session goes on in the process of its last turn', async () => {
    lab.model.use(['ok']);
    const { sessionId } = await json('begin');
    const before = (await clis()).map(({ pid }) => pid);
    for (const which of [['--resume', sessionId], ['--continue'], ['--continue']]) {
      expect((await json('go on', ...which)).sessionId).toBe(sessionId);
      expect((await clis()).map(({ pid }) => pid)).toEqual(before);
    }
  });

  it('another run is not let in on what nobody has asked for: a session that is kept ready is in no list', async () => {
    lab.model.use(['ok']);
    const { sessionId } = await json('the last one');
    await vi.waitFor(async () => expect((await status()).turns).toBe(0));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const { stdout } = await cold('which one', '--continue', '--output', 'json');
    expect(JSON.parse(stdout).sessionId).toBe(sessionId);
  });

  it('asks in the terminal for a permission', async () => {
    for (const [key, allowed] of [
      ['n', false],
      ['y', true],
    ] as const) {
      const file = `warm-${key}.txt`;
      lab.model.use([{ steps: [{ shell: `touch ${file}` }] }, 'After the tool.', 'After the tool.']);
      const terminal = new NativeRun(lab.place, [
        ...([process.execPath, program, 'run', '--warm', '--permission-mode', 'ask'] as const),
        'do it',
      ]);
      await terminal.until('allow it?', 60_000);
      await terminal.type(`${key}\r`);
      await terminal.exitCode;
      expect(existsSync(join(lab.home.workingDir, file)), key).toBe(allowed);
    }
  });

  it('Ctrl-C ends the turn with 130, and a killed client ends it, too', async () => {
    lab.model.use([{ steps: [{ text: ['a beginning'] }, { wait: 60_000 }] }]);
    const child = startTurnout(lab.place, ['run', '--warm', '--output', 'stream-json', 'wait']);
    await seen(child, 'session');
    child.kill('SIGINT');
    expect(await finished(child)).toMatchObject({ code: 130 });
    const killed = startTurnout(lab.place, ['run', '--warm', '--output', 'stream-json', 'wait']);
    await seen(killed, 'session');
    killed.kill('SIGKILL');
    await vi.waitFor(async () => expect((await status()).turns).toBe(0), { timeout: 15_000 });
    lab.model.use(['fine']);
    expect(await run('and now')).toMatchObject({ code: 0, stdout: 'fine\n' });
  });

  it('fails with the same code and message as a cold run', async () => {
    lab.model.use([{ status: 401 }]);
    const warm = await run('fail', '--output', 'json');
    lab.model.use([{ status: 401 }]);
    const live = await cold('fail', '--live', '--output', 'json');
    const outcome = ({ code, stdout }: typeof warm) => ({ code, error: JSON.parse(stdout).error });
    expect(outcome(warm)).toEqual(outcome(live));
    const unknown = ['--resume', '00000000-0000-4000-8000-000000000000', '--output', 'json'];
    expect(outcome(await run('hello', ...unknown))).toEqual(outcome(await cold('hello', ...unknown)));
  });

  it('a CLI or a host that was killed costs the next run a cold start', async () => {
    lab.model.use(['fine']);
    await run('begin');
    for (const { pid } of await clis()) process.kill(pid, 'SIGKILL');
    expect(await run('and now')).toMatchObject({ code: 0, stdout: 'fine\n', stderr: '' });
    process.kill((await status()).pid, 'SIGKILL');
    expect(await run('and now')).toMatchObject({ code: 0, stdout: 'fine\n', stderr: '' });
    expect((await clis()).length).toBe(1);
  });

  it('a turn whose host is killed while a tool runs is over, and is not run again', async () => {
    const count = join(lab.home.workingDir, 'count');
    lab.model.use([{ steps: [{ shell: `echo once >> ${count}; sleep 20` }] }, 'After the tool.']);
    const child = startTurnout(lab.place, ['run', '--warm', 'do it']);
    const ended = finished(child);
    await vi.waitFor(() => expect(existsSync(count)).toBe(true), { timeout: 30_000 });
    process.kill((await status()).pid, 'SIGKILL');
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('ended') });
    expect(processesOf(lab.home)).toEqual([]);
    lab.model.use(['fine']);
    expect(await run('and now')).toMatchObject({ code: 0, stdout: 'fine\n' });
    expect(readFileSync(count, 'utf8')).toBe('once\n');
    const { pid } = await status();
    expect(processesOf(lab.home).filter(({ command }) => command.includes('host serve'))).toMatchObject([
      { pid },
    ]);
  });

  it('what a tool has left running is ended with the turn', async () => {
    await run('begin');
    lab.model.use([
      { steps: [{ shell: 'setsid sleep 321 >/dev/null 2>&1 </dev/null &' }] },
      'After the tool.',
    ]);
    expect(await run('do it')).toMatchObject({ code: 0, stdout: expect.stringContaining('After the tool.') });
    await vi.waitFor(
      () => expect(processesOf(lab.home).filter(({ command }) => command.includes('321'))).toEqual([]),
      { timeout: 5000 },
    );
  });

  it('its instructions are those that are there now', async () => {
    lab.model.use(['ok']);
    const name = backend === 'claude' ? 'CLAUDE.md' : backend === 'gemini' ? 'GEMINI.md' : 'AGENTS.md';
    writeFileSync(join(lab.home.workingDir, name), 'Be brief, says XYZZY.');
    await json('first');
    expect(lab.model.turns.at(-1)?.rawBody).toContain('XYZZY');
    writeFileSync(join(lab.home.workingDir, name), 'Be long, says PLUGH.');
    await json('second');
    expect(lab.model.turns.at(-1)?.rawBody).toContain('PLUGH');
    expect(lab.model.turns.at(-1)?.rawBody).not.toContain('XYZZY');
  });
});

async function seen(child: ReturnType<typeof startTurnout>, text: string): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(text)) resolve();
    });
    child.once('exit', () => reject(new Error(output)));
  });
}
