import { describe, expect, it } from 'vitest';
import { parseRunOptions } from '../../../../src/cli/run/run-options.js';
import { describeCommand } from '../../../../src/runner/describe-command.js';

it('a PATH that was only added to is shown as a shell writes it (O9)', () => {
  const command = { command: 'codex', args: [], cwd: '/w' };
  const show = (PATH: string) =>
    describeCommand({ ...command, env: { PATH } }, (text) => text, { PATH: '/usr/bin::/bin' });
  expect(show('/opt/codex:/usr/bin:/bin')).toBe('in /w: PATH=/opt/codex:"$PATH" codex');
  expect(show('/opt/codex:/bin')).toBe('in /w: PATH=/opt/codex:/bin codex');
});

describe('the options of `turnout run`', () => {
  it('have defaults', () => {
    expect(options('hello')).toMatchObject({ prompt: 'hello', output: 'text', verbose: false, rawArgs: [] });
    expect(options()).toMatchObject({ prompt: undefined });
  });

  it('are read in any order, around the prompt', () => {
    expect(
      options(
        ...[
          '--backend',
          'codex',
          '--model=m',
          'hello',
          '--cwd',
          '/w',
          '--system-prompt',
          'be brief',
          '--resume',
          'id',
        ],
        ...['--max-turns', '3', '--allowed-tools', 'a, b', '--allowed-tools', 'c', '--disallowed-tools=d'],
        ...[
          '--mcp-config',
          'f',
          '--permission-mode',
          'plan',
          '--permission-timeout',
          '20',
          '--timeout',
          '1.5',
          '--output',
          'json',
          '--verbose',
        ],
      ),
    ).toMatchObject({
      prompt: 'hello',
      backend: 'codex',
      live: false,
      model: 'm',
      cwd: '/w',
      systemPrompt: 'be brief',
      systemPromptFile: undefined,
      sessionId: 'id',
      maxTurns: 3,
      allowedTools: ['a', 'b', 'c'],
      disallowedTools: ['d'],
      mcpConfig: 'f',
      permissionMode: 'plan',
      permissionTimeoutMs: 20_000,
      timeoutMs: 1500,
      output: 'json',
      verbose: true,
      rawArgs: [],
    });
  });

  it('take names in any case', () => {
    const read = options('--backend', 'Claude', '--permission-mode', 'Plan', '--output', 'JSON', 'x');
    expect(read).toMatchObject({ backend: 'claude', permissionMode: 'plan', output: 'json' });
  });

  it('take a depth of thinking by name or in tokens, and nothing else (S3)', () => {
    expect(parseRunOptions(['--thinking', 'high', 'x'])).toMatchObject({ thinking: 'high' });
    expect(parseRunOptions(['--thinking', 'HIGH', 'x'])).toMatchObject({ thinking: 'high' });
    expect(parseRunOptions(['--thinking', '4321', 'x'])).toMatchObject({ thinking: 4321 });
    for (const wrong of ['deeply', '0', '-1', '1.5', '1e3', '', ' high'])
      expect(() => parseRunOptions([`--thinking=${wrong}`, 'x']), wrong).toThrow(
        /--thinking: expected one of off/,
      );
  });

  it('continue the last session, or resume one, not both (S4)', () => {
    expect(parseRunOptions(['--continue', 'x'])).toMatchObject({ continueLast: true, sessionId: undefined });
    expect(() => parseRunOptions(['--continue', '--resume', 'id', 'x'])).toThrow(/both given/);
  });

  it('a prompt that looks like an option goes through --prompt=', () => {
    expect(options('--prompt=-x')).toMatchObject({ prompt: '-x' });
    expect(options('--prompt=--help')).toMatchObject({ prompt: '--help' });
    expect(options('--prompt', 'plain')).toMatchObject({ prompt: 'plain' });
  });

  it('everything behind -- is for the CLI itself', () => {
    expect(options('hi', '--', '--own', '--', '-x', 'word')).toMatchObject({
      prompt: 'hi',
      rawArgs: ['--own', '--', '-x', 'word'],
    });
  });

  it.each([
    [['--nonsense'], '--nonsense'],
    [['-x'], '-x'],
    [['one', 'two'], 'one prompt is expected, got 2: "one" "two"'],
    [['one', '--prompt', 'two'], '--prompt and a prompt argument'],
    [['--system-prompt', 'a', '--system-prompt-file', 'b'], '--system-prompt-file'],
    [['--max-turns', '0'], '--max-turns expects a whole number above 0, got "0"'],
    [['--max-turns', '2.5'], '--max-turns'],
    [['--max-turns', 'many'], '--max-turns'],
    [['--timeout', '-1'], '--timeout'],
    [['--timeout', ''], '--timeout'],
    [['--timeout', 'Infinity'], '--timeout'],
    [['--output', 'yaml'], '--output expects one of text, json, stream-json, got "yaml"'],
    [['--permission-mode', 'free'], '--permission-mode expects one of bypass, ask, edits, plan, got "free"'],
    [['--model', ' '], '--model expects a value'],
    [['--resume', ''], '--resume expects a value'],
    [['--cwd='], '--cwd expects a value'],
    [['--model'], '--model'],
  ])('%j is refused, and the message names it', (args, named) => {
    let message = '';
    try {
      parseRunOptions(args);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(named);
  });

  it('understand a backend by its short name and with -cli (O2)', () => {
    expect(options('hi', '--backend', 'codex').backend).toBe('codex');
    expect(options('hi', '--backend', 'codex-cli').backend).toBe('codex');
  });
});

describe('the command that --verbose shows (O9)', () => {
  const show = (args: readonly string[], env: Record<string, string> = {}) =>
    describeCommand({ command: '/bin/agent', args, cwd: '/w', env });

  it('is one that a shell would take', () => {
    expect(show(['-p', "it's", '--x=1', ''], { A: 'b c' })).toBe(
      `in /w: A='b c' /bin/agent -p 'it'\\''s' --x=1 ''`,
    );
  });

  it.each([
    [['--api-key=hunter2hunter2']],
    [['--api-key', 'hunter2hunter2']],
    [['--token', 'hunter2hunter2']],
    [['-c', 'model_providers.x.api_key="hunter2hunter2"']],
    [['-H', 'Authorization: Bearer hunter2hunter2']],
    [['x-api-key: hunter2hunter2']],
    [['{"apiKey": "hunter2hunter2"}']],
    [['https://user:hunter2hunter2@127.0.0.1/x']],
    [['sk-hunter2hunter2']],
    [['ghp_hunter2hunter2']],
  ])('%j has its secret redacted', (args) => {
    const shown = show(args);
    expect(shown).toContain('[redacted]');
    expect(shown).not.toContain('hunter2');
  });

  it('redacts variables by their names', () => {
    const shown = show([], { ANTHROPIC_API_KEY: 'hunter2', MY_TOKEN: 'hunter2', PATH: '/bin' });
    expect(shown).not.toContain('hunter2');
    expect(shown).toContain('PATH=/bin');
  });

  it('leaves what is no secret as it is', () => {
    expect(show(['--max-tokens', '500', '--model', 'm'])).toBe(
      'in /w: /bin/agent --max-tokens 500 --model m',
    );
  });

  it('shortens a very long word', () => {
    expect(show(['x'.repeat(100_000)]).length).toBeLessThan(1000);
    expect(show(['a-'.repeat(50_000)])).toContain('(100000 characters)');
  });
});

function options(...args: string[]) {
  const parsed = parseRunOptions(args);
  if (parsed === 'help') throw new Error('help');
  return parsed;
}
