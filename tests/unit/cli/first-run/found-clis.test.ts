import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settingNamed } from '../../../../src/cli/config/setting-named.js';
import { chooseInstalled } from '../../../../src/cli/first-run/choose-installed.js';
import { type FoundCli, listClis, proposed } from '../../../../src/cli/first-run/found-clis.js';
import { firstSteps, nextSteps } from '../../../../src/cli/first-run/next-steps.js';

const cli = (backend: string, more: Partial<FoundCli> = {}): FoundCli => ({
  ...{ backend, installed: true, signedIn: 'no', install: `npm install -g ${backend}` },
  ...more,
});

describe('the CLI that is proposed (18.2)', () => {
  it('is the present choice, else the first that is signed in, else the first', () => {
    const clis = [cli('claude'), cli('codex', { signedIn: 'unknown' }), cli('gemini', { signedIn: 'yes' })];
    expect(proposed(clis, undefined)?.backend).toBe('gemini');
    expect(proposed(clis, 'claude')?.backend).toBe('claude');
    expect(proposed(clis, 'opencode')?.backend).toBe('gemini');
    expect(proposed(clis.slice(0, 2), undefined)?.backend).toBe('claude');
    expect(proposed(clis.slice(0, 1), undefined)?.backend).toBe('claude');
    expect(proposed([cli('claude', { installed: false, signedIn: 'yes' })], 'claude')).toBeUndefined();
  });

  it('is listed with its version and account, within 80 columns', () => {
    const text = listClis([
      cli('claude', { version: '2.1.325', vetting: 'vetted', signIn: 'run `claude`, and type /login there' }),
      cli('codex', { installed: false }),
      cli('gemini', { version: '0.1\u001b[2J', vetting: 'older', signedIn: 'yes', credentials: 'a key' }),
    ]);
    expect(text.split('\n')).toEqual([
      '  1  claude    2.1.325   not signed in: run `claude`, and type /login there',
      '  -  codex     not installed: npm install -g codex',
      '  2  gemini    0.1␛[2J   signed in: a key',
      '     not the vetted version: gemini (see turnout doctor)',
      '',
    ]);
  });

  it('comes with what to type first and next', () => {
    expect(firstSteps(cli('codex', { signIn: 'run `codex login`' }))).toEqual([
      'First sign in: run `codex login`.',
    ]);
    expect(firstSteps(cli('codex', { installed: false }))).toEqual([
      'First install it: npm install -g codex',
    ]);
    expect(firstSteps(cli('codex', { signedIn: 'yes' }))).toEqual([]);
    const next = nextSteps(false, 'linux');
    expect(next.join('\n')).toMatch(/turnout service[\s\S]*turnout config set permission-mode ask$/);
    expect(next.length).toBeLessThanOrEqual(10);
    // Not true any more when a mode was chosen.
    expect(nextSteps(true, 'linux').join('\n')).not.toMatch(/permission|asks/);
    expect(nextSteps(false, 'darwin').join('\n')).not.toContain('systemd');
    for (const line of next) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('a backend that nobody has chosen (R6.3, O5)', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'turnout-path-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  const choose = (
    names: readonly string[],
    { settings = {}, keys = {}, flag, mayPick = true }: Given = {},
  ) => {
    const PATH = join(directory, names.join('-') || 'none');
    mkdirSync(PATH, { recursive: true });
    for (const name of names) writeFileSync(join(PATH, name), '', { mode: 0o755 });
    const inherited = { PATH, HOME: directory, ...keys };
    return chooseInstalled({ TURNOUT_HOME: directory, ...settings }, inherited, { flag, mayPick });
  };
  interface Given {
    readonly settings?: Record<string, string>;
    readonly keys?: Record<string, string>;
    readonly flag?: string;
    readonly mayPick?: boolean;
  }

  it.each([true, false])(
    'is Claude wherever it is installed, whoever else is signed in (%s)',
    async (mayPick) => {
      const keys = { CODEX_API_KEY: 'dummy', GEMINI_API_KEY: 'dummy' };
      expect(await choose(['opencode', 'claude', 'gemini', 'codex'], { keys, mayPick })).toEqual({
        notes: [],
      });
    },
  );

  it('is, without Claude, the first that is signed in for a person at a terminal, and it is named', async () => {
    expect(await choose(['codex'])).toEqual({
      picked: 'codex',
      notes: ['using codex: Claude is not installed. `turnout init` saves your default.'],
    });
    const keys = { GEMINI_API_KEY: 'dummy' };
    expect((await choose(['codex', 'gemini'], { keys })).picked).toBe('gemini');
    expect((await choose(['opencode', 'codex'])).picked).toBe('codex');
  });

  it('is none for anybody else without Claude: the error names the CLIs that are there', async () => {
    const { picked, notes, missing } = await choose(['codex', 'gemini'], { mayPick: false });
    expect(picked).toBeUndefined();
    expect(notes).toEqual([]);
    expect(missing).toMatchObject({
      code: 'not_installed',
      message: expect.stringContaining('Claude is not'),
    });
    for (const said of ['codex, gemini', 'turnout init', '--backend', '@anthropic-ai/claude-code@'])
      expect(missing?.hint).toContain(said);
  });

  it('is not looked for if anything has chosen one', async () => {
    for (const name of ['AGENT_BACKEND', 'BACKEND_CLI_PATH', 'BACKEND_MODEL']) {
      const settings = { [name]: 'claude' };
      expect(await choose(['codex'], { settings })).toEqual({
        notes: [],
      });
    }
    expect((await choose(['codex'], { flag: 'claude' })).picked).toBeUndefined();
  });

  it('is missing where none is installed: then the demo is offered', async () => {
    const { missing } = await choose([]);
    expect(missing).toMatchObject({ code: 'not_installed' });
    for (const said of ['@anthropic-ai/claude-code@', '@openai/codex@', 'turnout run --backend demo'])
      expect(missing?.hint).toContain(said);
  });
});

describe('the name of a setting (18.3)', () => {
  it('may be written as it is easy to type', () => {
    expect(settingNamed('agent-backend')).toBe('AGENT_BACKEND');
    expect(settingNamed('HTTP_PORT')).toBe('HTTP_PORT');
  });

  it.each([
    ['agent-bakend', 'AGENT_BACKEND'],
    ['model', 'BACKEND_MODEL'],
    ['backend', 'AGENT_BACKEND'],
    ['retention', 'RETENTION_DAYS'],
  ])('is guessed if it is wrong: %s', (written, meant) => {
    expect(() => settingNamed(written)).toThrow(`Did you mean ${meant}?`);
  });

  it('is refused without a guess where there is none', () => {
    expect(() => settingNamed('zzz')).toThrow(/^There is no setting "zzz"\.$/);
  });
});
