import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeArguments } from '../../../../src/cli/run/claude-flags.js';
import { parseRunOptions, type RunFlags } from '../../../../src/cli/run/run-options.js';
import { looksLikeTools } from '../../../../src/cli/run/tool-list.js';
import { TurnoutError } from '../../../../src/core/errors.js';
import { splitTools } from '../../../../src/core/split-tools.js';

describe("Claude's flags", () => {
  it('-p is a switch, and the prompt stands by itself (O5)', () => {
    expect(flags('-p', 'hello')).toMatchObject({ print: true, prompt: 'hello' });
    expect(flags('hello', '--print')).toMatchObject({ print: true, prompt: 'hello' });
    expect(flags('-p')).toMatchObject({ print: true, prompt: undefined });
    expect(flags('-pc', 'go on')).toMatchObject({ print: true, continueLast: true, prompt: 'go on' });
  });

  it('a script as people have them is understood (O5, O14)', () => {
    const read = flags(
      ...['-p', 'fix the bug', '--model', 'opus', '--max-turns', '7', '-r', 'a-b-c', '--verbose'],
      ...['--append-system-prompt', '- be brief\n- be kind', '--output-format', 'json'],
      ...['--allowedTools', 'Bash(git log:*),Edit', 'Read', '--disallowedTools', 'WebFetch WebSearch'],
      ...['--mcp-config', 'mcp.json', '--settings', 'settings.json', '--dangerously-skip-permissions'],
    );
    expect(read).toMatchObject({
      prompt: 'fix the bug',
      model: 'opus',
      maxTurns: 7,
      sessionId: 'a-b-c',
      verbose: true,
      appendSystemPrompt: '- be brief\n- be kind',
      output: 'claude-json',
      allowedTools: ['Bash(git log:*)', 'Edit', 'Read'],
      disallowedTools: ['WebFetch', 'WebSearch'],
      mcpConfig: 'mcp.json',
      mcpSources: undefined,
      settings: 'settings.json',
      permissionMode: 'bypass',
    });
  });

  it.each([
    ['acceptEdits', 'edits', false],
    ['plan', 'plan', false],
    ['bypassPermissions', 'bypass', false],
    ['default', 'ask', false],
    ['manual', 'ask', false],
    ['dontAsk', 'ask', true],
    ['edits', 'edits', false],
  ])('--permission-mode %s is our %s (O5)', (written, permissionMode, denyQuestions) => {
    expect(flags('x', '--permission-mode', written)).toMatchObject({ permissionMode, denyQuestions });
  });

  it('lists of tools take the words that follow, but no prompt (O5)', () => {
    expect(flags('--allowedTools', 'Read', 'Edit', '-p', 'x')).toMatchObject({
      allowedTools: ['Read', 'Edit'],
      prompt: 'x',
    });
    expect(
      flags('--allowed-tools', 'Read', 'Bash(npm run test:*)', 'mcp__db__query', 'Continue'),
    ).toMatchObject({
      allowedTools: ['Read', 'Bash(npm run test:*)', 'mcp__db__query'],
      prompt: 'Continue',
    });
    expect(flags('--allowedTools', 'Read', 'explain (briefly)')).toMatchObject({
      prompt: 'explain (briefly)',
    });
    expect(flags('--allowedTools=Read', 'NotebookEdit', 'Fix it')).toMatchObject({
      allowedTools: ['Read', 'NotebookEdit'],
      prompt: 'Fix it',
    });
  });

  it('several MCP configurations and JSON text are taken (O5, O8)', () => {
    const text = '{"mcpServers":{}}';
    expect(flags('--mcp-config', 'a.json', text, 'prompt')).toMatchObject({
      mcpConfig: undefined,
      mcpSources: ['a.json', text],
      prompt: 'prompt',
    });
  });

  it('--output json has our names alone, and both spellings stream our events (O5)', () => {
    expect(flags('x', '--output', 'json').output).toBe('json');
    expect(flags('x', '--output-format', 'json').output).toBe('claude-json');
    expect(flags('x', '--output-format', 'stream-json', '--include-partial-messages').output).toBe(
      'stream-json',
    );
  });

  it.each([
    [['--add-dir', '../lib', '../other dir']],
    [['--add-dir=../lib']],
    [['--agents', '{"a":{}}', '--agent', 'a']],
    [['--fallback-model=sonnet,haiku']],
    [['--session-id', '0199a213-81c0-7800-8aa1-bbab2a035a53', '--fork-session']],
    [['--json-schema', '{"type":"object"}']],
    [['--tools', '']],
    [['--tools', 'Read', 'Edit']],
    [['-d']],
    [['--debug', 'api,hooks', '--debug-file', '/tmp/x']],
    [['-w', '-n', 'a name']],
    [['--max-thinking-tokens', '8000', '--max-budget-usd', '1.5']],
    [['--plugin-dir', 'a', '--plugin-dir', 'b']],
    [['--strict-mcp-config', '--restricted', '--bare', '--no-session-persistence']],
  ])('%j goes to Claude as it was typed, in front of what is behind -- (O5, O14)', (args) => {
    const read = flags('-p', ...args, '--model', 'opus', 'go', '--', '--raw');
    expect(read).toMatchObject({ prompt: 'go', model: 'opus' });
    expect(claudeArguments('claude', read, false)).toEqual({ rawArgs: [...args, '--raw'], warnings: [] });
  });

  it.each([
    [['--add-dir', '../lib'], '--add-dir', '--backend claude'],
    [['--agents', '{}'], '--agents', '.turnout/agents'],
    [['--fallback-model=sonnet'], '--fallback-model', '--allow-unsupported'],
    [['--session-id', 'x'], '--session-id', '--resume'],
    [['--tools', 'Read'], '--tools', '--allowed-tools'],
    [['-d'], '-d', 'LOG_LEVEL=debug'],
  ])(
    '%j is refused by its name with another backend, or left out on request (O4, O5)',
    (args, named, wayOut) => {
      const read = flags('x', ...args, '--', '--raw');
      const refused = caught(() => claudeArguments('codex', read, false));
      expect(refused.code).toBe('unsupported');
      expect(refused.message).toBe(`${named} is an option of Claude Code that codex does not have.`);
      expect(refused.hint).toContain(wayOut);
      expect(claudeArguments('codex', read, true)).toEqual({
        rawArgs: ['--raw'],
        warnings: [expect.stringContaining(`${named} is an option of Claude Code`)],
      });
    },
  );

  it.each([
    [['--cloud'], '--cloud', 'start Claude itself'],
    [['--bg'], '--bg', 'turnout gateway'],
    [['--input-format', 'stream-json'], '--input-format stream-json', 'one turn'],
    [['--permission-mode', 'auto'], '--permission-mode auto', 'bypass'],
  ])('%j is no part of a turn: refused by its name, with the way out (O5)', (args, named, wayOut) => {
    const error = failure('x', ...args);
    expect(error.code).toBe('unsupported');
    expect(error.message).toContain(named);
    expect(error.explanation).toContain(wayOut);
  });

  it.each([
    [['--modle', 'x'], 'There is no option --modle. Did you mean --model?'],
    [['--allowedTool', 'x'], 'Did you mean --allowed-tools?'],
    [['--dangerously-skip-permission'], 'Did you mean --dangerously-skip-permissions?'],
    [['--dangerously-skip-permissions', '--permission-mode', 'plan'], 'contradict each other'],
    [['--output', 'text', '--output-format', 'json'], '--output text and --output-format json'],
    [['--append-system-prompt', 'a', '--append-system-prompt-file', 'b'], 'were both given'],
    [['--allowedTools', 'Bash(git'], 'a bracket is not closed in "Bash(git"'],
    [['--allowedTools', ','], '--allowed-tools expects the names of tools'],
    [['--model', '--verbose'], '--model expects a value'],
    [['-r', '-p'], '-r expects a value'],
    [['--print=yes'], '--print takes no value'],
    [['-px'], '-x'],
  ])('%j is wrong usage, and the message says why (O5)', (args, said) => {
    const error = failure(...args);
    expect(error.code).toBe('bad_request');
    expect(error.message).toContain(said);
  });

  it('what is behind -- is not looked at', () => {
    expect(flags('x', '--', '--add-dir', '..', '--modle')).toMatchObject({
      rawArgs: ['--add-dir', '..', '--modle'],
    });
  });

  it('any system prompt is taken as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(flags(`--append-system-prompt=${text}`, 'x')).toMatchObject({ appendSystemPrompt: text });
      }),
    );
  });

  it('any words are read, or refused with a TurnoutError', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '-p',
        '--',
        '--model',
        '--allowedTools',
        '-r',
        '-rp',
        '--output-format',
        '-',
        '--mcp-config',
      ),
    );
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        try {
          parseRunOptions(argv);
        } catch (error) {
          expect(error).toBeInstanceOf(TurnoutError);
        }
      }),
    );
  });
});

describe('a list of tools', () => {
  it('is split at commas and blanks outside of brackets', () => {
    expect(splitTools('Bash(git log:*, x), Edit  Read,,mcp__a__b')).toEqual([
      ...['Bash(git log:*, x)', 'Edit', 'Read', 'mcp__a__b'],
    ]);
    expect(splitTools('Bash(echo (a b) c) Edit')).toEqual(['Bash(echo (a b) c)', 'Edit']);
    expect(splitTools(' , ')).toEqual([]);
    expect(splitTools('Bash(')).toBeUndefined();
  });

  it('gives back the tools that it was made of, however they are joined', () => {
    const rule = fc.stringMatching(/^[A-Za-z_]{1,12}(\([a-z ,:*]{0,12}\))?$/);
    fc.assert(
      fc.property(fc.array(rule), fc.constantFrom(',', ' ', ', ', '\n'), (tools, between) => {
        expect(splitTools(tools.join(between))).toEqual(tools);
      }),
    );
  });

  it.each(['Read', 'Read,Edit', 'Bash(git *)', 'mcp__x', 'TodoWrite', 'bash'])('%s are tools', (word) => {
    expect(looksLikeTools(word)).toBe(true);
  });

  it.each(['Hello', 'fix it', 'Read the file', '', 'explain(', 'ok', './Read'])('%j is a prompt', (word) => {
    expect(looksLikeTools(word)).toBe(false);
  });
});

function flags(...argv: string[]): RunFlags {
  const read = parseRunOptions(argv);
  if (read === 'help') throw new Error('help');
  return read;
}

function failure(...argv: string[]): TurnoutError {
  return caught(() => parseRunOptions(argv));
}

function caught(act: () => unknown): TurnoutError {
  try {
    act();
  } catch (error) {
    if (error instanceof TurnoutError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
