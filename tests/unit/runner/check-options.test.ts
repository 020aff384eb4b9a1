import { spawnSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { registerBackend } from '../../../src/backends/registry.js';
import { checkOptions, describeSupport, type RunMode } from '../../../src/runner/check-options.js';
import type { RunnerName, RunnerOptions } from '../../../src/runner/types.js';
import { it } from '../../contract/stage.js';
import { ParrotBackend } from '../../fixtures/parrot/parrot-backend.js';

describe('checkOptions', () => {
  it.for<[RunnerName, RunMode, RunnerOptions, string]>([
    [
      'codex',
      'one-shot',
      { maxTurns: 3 },
      'codex does not support maxTurns (--max-turns). Limit the turn by time',
    ],
    [
      'gemini',
      'one-shot',
      { tools: { allowed: ['x'] } },
      'gemini does not support tools.allowed (--allowed-tools). ',
    ],
    [
      'claude',
      'one-shot',
      { thinking: 'off' },
      'claude does not support thinking (--thinking) "off". Use one of: low',
    ],
    ['opencode', 'one-shot', { permissionMode: 'ask' }, 'A live session (--live) takes it.'],
    ['codex', 'live', { rawArgs: ['--x'] }, 'codex does not support rawArgs (--) in a live session. '],
    [
      'codex',
      'live',
      { providerOptions: { codex: { x: true } } },
      'codex does not support providerOptions in a live',
    ],
    [
      'claude',
      'interactive',
      { maxTurns: 2 },
      'claude does not support maxTurns (--max-turns) in its terminal UI. ',
    ],
    [
      'codex-sdk',
      'one-shot',
      { rawArgs: ['x'] },
      'codex-sdk does not support rawArgs (--). Use codex, which drives',
    ],
    ['codex-sdk', 'interactive', {}, 'codex-sdk does not support a terminal UI'],
    ['codex-sdk', 'live', {}, 'codex-sdk does not support live sessions'],
  ])('%s, %s: refuses %j by name, with the way out (O4)', async ([name, mode, options, words]) => {
    await expect(checkOptions(name, options, mode)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(words),
      hint: expect.any(String),
    });
  });

  it('leaves out what it may, and says so by name (O4)', async () => {
    const given = { prompt: 'hi', maxTurns: 3, tools: { allowed: ['a'], disallowed: ['b'] }, model: 'm' };
    const { options, warnings } = await checkOptions(
      'codex',
      { ...given, allowUnsupported: true },
      'one-shot',
    );
    expect(options).toMatchObject({ prompt: 'hi', model: 'm', maxTurns: undefined });
    expect(options.tools).toEqual({ allowed: undefined, disallowed: undefined });
    expect(warnings).toEqual([
      expect.stringContaining('codex does not support maxTurns (--max-turns): it is left out.'),
      expect.stringContaining('tools.allowed (--allowed-tools): it is left out.'),
      expect.stringContaining('tools.disallowed (--disallowed-tools): it is left out.'),
    ]);
    expect((await checkOptions('claude', { ...given, allowUnsupported: true }, 'one-shot')).warnings).toEqual(
      [],
    );
  });

  it('never allows more than was asked for: a mode that there is not becomes a stricter one (O4)', async () => {
    const asked = { permissionMode: 'ask', allowUnsupported: true } as const;
    const { options, warnings } = await checkOptions('codex', asked, 'one-shot');
    expect(options.permissionMode).toBe('plan');
    expect(warnings).toEqual([expect.stringContaining('"ask": "plan" is used, which allows less')]);
  });

  it('knows a backend that was registered (S6)', async () => {
    const install = 'npm install -g parrot';
    const remove = registerBackend('parrot', { create: ParrotBackend, command: 'parrot', install });
    try {
      expect(await checkOptions('parrot', { model: 'm', rawArgs: ['x'] }, 'one-shot')).toMatchObject({
        warnings: [],
      });
      await expect(checkOptions('parrot', { settings: import.meta.filename }, 'one-shot')).rejects.toThrow(
        'not JSON',
      );
      await expect(checkOptions('parrot', {}, 'interactive')).rejects.toMatchObject({ code: 'unsupported' });
    } finally {
      remove();
    }
  });

  it.for<[unknown, string]>([
    [{ prompt: '' }, 'prompt is empty'],
    [{ prompt: 3 }, "prompt can't be 3"],
    [{ model: '--version' }, 'does not begin with "-"'],
    [{ model: ' ' }, 'a model’s name'],
    [{ model: 'opus\u202e4' }, 'no invisible characters'],
    [{ maxTurns: 0 }, 'maxTurns'],
    [{ maxTurns: 1.5 }, 'a whole number from 1 up'],
    [{ tools: { allowed: 'Read' } }, 'tools.allowed can\'t be "Read": expected an array of names.'],
    [{ tools: 'Read' }, 'tools can\'t be "Read": expected an object'],
    [{ tools: ['Read'] }, "tools can't be an array"],
    [{ tools: { allow: ['Read'] } }, 'There is no option "tools.allow"'],
    [{ maxturns: 3 }, 'There is no option "maxturns"'],
    [{ permissionMode: 'yolo' }, 'one of bypass, ask, edits, plan'],
    [{ thinking: 0 }, 'a number of tokens'],
    [{ sessionId: '--x' }, 'a session id'],
    [{ sessionId: 'a', continueLast: true }, 'not both'],
    [{ cwd: '/no/such/directory' }, '/no/such/directory is not there'],
    [{ cwd: import.meta.filename }, 'is not a directory'],
    [{ env: { 'A=B': 'c' } }, 'env has "A=B"'],
    [{ env: { A: 1 } }, "env.A can't be 1: expected a text."],
    [{ rawArgs: ['a\0b'] }, 'texts without NUL characters'],
    [{ timeoutMs: -1 }, 'milliseconds'],
    [{ timeoutMs: Number.NaN }, "timeoutMs can't be NaN"],
    [{ markerNonce: 'two words' }, 'markerNonce'],
    [{ settings: '/no/settings.json' }, "The settings file /no/settings.json can't be used: it is not there"],
    [{ mcpConfig: '/no/mcp.json' }, "The MCP configuration /no/mcp.json can't be used: it is not there"],
    [null, 'an object'],
  ])('refuses %j before anything starts (O3)', async ([options, words]) => {
    await expect(checkOptions('claude', options as RunnerOptions, 'one-shot')).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(words),
    });
  });

  it('guesses an option that was misspelt', async () => {
    const misspelt = { systemprompt: 'x' } as RunnerOptions;
    await expect(checkOptions('claude', misspelt, 'one-shot')).rejects.toMatchObject({
      message: 'There is no option "systemprompt". Did you mean systemPrompt?',
    });
  });

  it.for<['settings' | 'mcpConfig', string, string]>([
    ['settings', '{', 'not JSON'],
    ['settings', '[]', 'not a JSON object'],
    ['mcpConfig', '{"servers": {}}', 'no object "mcpServers"'],
    ['mcpConfig', '{"mcpServers": {"a": 1}}', 'the server "a" is not an object'],
    ['mcpConfig', '{"mcpServers": {"a": {"cmd": "x"}}}', 'neither a "command" nor a "url"'],
  ])('names the file and what is wrong in it: %s %s', async ([option, content, words], { stage }) => {
    const file = stage.write('file.json', content);
    const error = await checkOptions('claude', { [option]: file }, 'one-shot').catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining(file) });
    expect(error.message).toContain(words);
  });

  it.skipIf(process.platform === 'win32')('does not wait for a FIFO in a file’s place', async ({ stage }) => {
    spawnSync('mkfifo', [stage.path('fifo')]);
    await expect(checkOptions('claude', { settings: stage.path('fifo') }, 'one-shot')).rejects.toThrow(
      'not a file',
    );
  });

  it('makes paths absolute, of this process’s directory', async ({ stage }) => {
    const file = stage.write('s.json', '{}');
    const relative = (await import('node:path')).relative(process.cwd(), file);
    const { options } = await checkOptions('claude', { settings: relative }, 'one-shot');
    expect(options.settings).toBe(file);
  });
});

describe('providerOptions', () => {
  it.for<[RunnerName, string, RegExp]>([
    ['claude', 'output-format', /Turnout sets --output-format itself/],
    ['claude', 'resume', /itself/],
    ['claude', 'settings', /itself/],
    ['codex', 'json', /itself/],
    ['codex', 'sandbox', /itself/],
    ['gemini', 'approvalMode', /itself/],
    ['gemini', 'no-yolo', /itself/],
    ['gemini', 'prompt', /itself/],
    ['opencode', 'session', /itself/],
    ['opencode', 'format', /itself/],
    ['claude', '--add-dir', /without its dashes/],
    ['claude', 'a b', /name of a long option/],
  ])('%s: %s is not the caller’s to set (O3)', async ([name, option, words]) => {
    const options = { providerOptions: { [name]: { [option]: 'x' } } };
    await expect(checkOptions(name, options, 'one-shot')).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(words),
    });
    // The others' options are not looked at closely.
    if (words.source === 'itself')
      await checkOptions(name === 'claude' ? 'codex' : 'claude', options, 'one-shot');
  });

  it('of a backend that there is not are no options', async () => {
    const options = { providerOptions: { codx: { a: 'b' } } } as RunnerOptions;
    await expect(checkOptions('codex', options, 'one-shot')).rejects.toThrow('Did you mean codex?');
  });
});

describe('describeSupport', () => {
  it('sorts the options that were given, each with how or what instead (O4)', async () => {
    const given = {
      systemPrompt: 'x',
      model: 'm',
      maxTurns: 3,
      thinking: 'high',
      tools: { allowed: [] },
    } as const;
    expect(await describeSupport('gemini', given, 'one-shot')).toEqual({
      native: ['model (--model)'],
      emulated: ['systemPrompt (in front of the prompt)'],
      refused: [
        'maxTurns: Limit the turn by time instead: timeoutMs (--timeout).',
        "thinking: Set it in gemini's own settings.",
      ],
    });
  });
});
