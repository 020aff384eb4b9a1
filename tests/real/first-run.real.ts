import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import { TerminalRun } from '../unit/cli/terminal-run.js';
import { buildOnce, type Place, turnout } from '../unit/cli/turnout.js';
import { installedCli } from './installed-cli.js';
import { setUpLab } from './set-up-lab.js';

beforeAll(buildOnce);

const labVersion = /\d+\.\d+\.\d+/;

describe('turnout init, with the four real CLIs (18.2)', () => {
  let directory: string;
  let place: Place;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'turnout-first-run-'));
    const [bin, workingDir, home] = ['bin', 'work', 'home'].map((name) => join(directory, name));
    for (const made of [bin, workingDir, home]) mkdirSync(made ?? '');
    for (const name of vendorNames) symlinkSync(installedCli(name), join(bin ?? '', name));
    const PATH = [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':');
    place = { workingDir: workingDir ?? '', env: { PATH, HOME: home ?? '', LANG: 'C.UTF-8' } };
  }, 120_000);
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  const found = async (command: string, env: Record<string, string> = {}) => {
    const { stdout, stderr } = await turnout(place, [command, '--json'], { env });
    const clis: readonly Record<string, unknown>[] = JSON.parse(stdout).clis;
    expect(stdout + stderr).not.toContain('dummy');
    return Object.fromEntries(clis.map((cli) => [cli['backend'], cli])) as Record<
      VendorName,
      Record<string, unknown>
    >;
  };

  it('finds them, their versions, and that nobody is signed in', async () => {
    const clis = await found('init');
    for (const name of vendorNames)
      expect(clis[name], name).toMatchObject({
        installed: true,
        version: expect.stringMatching(labVersion),
        vetting: 'vetted',
        // OpenCode has models that need no account.
        signedIn: name === 'opencode' ? 'unknown' : 'no',
      });
  });

  it('sees a key, in the environment or where the CLI keeps it', async () => {
    const home = place.env['HOME'] ?? '';
    const env = { ANTHROPIC_API_KEY: 'dummy', GEMINI_API_KEY: 'dummy' };
    mkdirSync(join(home, '.codex'), { recursive: true });
    writeFileSync(join(home, '.codex', 'auth.json'), JSON.stringify({ OPENAI_API_KEY: 'dummy' }));
    const [atInit, atDoctor] = [await found('init', env), await found('doctor', env)];
    for (const clis of [atInit, atDoctor])
      for (const name of vendorNames) expect(clis[name], name).toMatchObject({ signedIn: 'yes' });
    rmSync(join(home, '.codex', 'auth.json'));
    const doctor = await turnout(place, ['doctor']);
    expect(doctor.stdout).toContain('not signed in: run `codex login`');
  });

  it('keeps what was typed in a terminal, and a turn begins with it', async () => {
    const terminal = new TerminalRun(place, ['init'], 80);
    await terminal.until('Which one is to answer? 1-4');
    terminal.type('gemini\r');
    expect(await terminal.exitCode).toBe(0);
    const file = join(place.env['HOME'] ?? '', '.turnout', 'config.yaml');
    expect(readFileSync(file, 'utf8')).toContain('AGENT_BACKEND: gemini\n');
    const turn = await turnout(place, ['run', '--output', 'json', 'hello'], { env: { NO_BROWSER: '1' } });
    expect(JSON.parse(turn.stdout)).toMatchObject({ backend: 'gemini', error: { code: 'auth' } });
    // There is nothing to go on with.
    expect(JSON.parse((await turnout(place, ['sessions', '--json'])).stdout)).toEqual([]);
  });
});

describe.each(vendorNames)('a session with %s (18.4)', (backend) => {
  const lab = setUpLab(backend);

  it('is told below the turn, and goes on by --continue and by the beginning of its id', async () => {
    lab.model.use(['An answer.']);
    const terminal = new TerminalRun(lab.place, ['run', 'the first question'], 80);
    expect(await terminal.exitCode).toBe(0);
    const [, id = ''] = /session (\S+) · /.exec(terminal.screen) ?? [];
    expect(id).not.toBe('');
    const run = async (...args: readonly string[]) => {
      const done = await turnout(lab.place, ['run', '--output', 'json', ...args]);
      return JSON.parse(done.stdout).sessionId as string;
    };
    const [first] = JSON.parse((await turnout(lab.place, ['sessions', '--json'])).stdout);
    expect(first).toMatchObject({ backend, title: 'the first question', recordedBy: 'turnout' });
    expect(first.sessionId.startsWith(id)).toBe(true);
    const second = await run('another question');
    expect(second).not.toBe(first.sessionId);
    expect(await run('--continue', 'go on')).toBe(second);
    expect(await run('--resume', id, 'go on')).toBe(first.sessionId);
    expect(await run('--continue', 'go on')).toBe(first.sessionId);
    const listed = JSON.parse((await turnout(lab.place, ['sessions', '--all', '--json'])).stdout);
    // The CLI's own records have the same two.
    expect(listed.map(({ title }: { title: string }) => title)).toEqual([
      'the first question',
      'another question',
    ]);
  }, 240_000);
});
