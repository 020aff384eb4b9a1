import { describe, expect, it } from 'vitest';
import { parseChainOptions } from '../../../../src/cli/chain/chain-options.js';

describe('the command line of turnout chain', () => {
  it('takes the form of existing users: --chain, variables, -p, -v', () => {
    const flags = parseChainOptions(['--chain', 'build-all', 'TASK=7', '-v', '-p', 'go', '--cwd', 'x']);
    expect(flags).toMatchObject({
      ...{ command: 'run', target: 'build-all', prompt: 'go', verbose: true, cwd: 'x', output: 'text' },
      variables: new Map([['TASK', '7']]),
    });
    expect(parseChainOptions(['planner:3 -> builder:10'])).toMatchObject({
      command: 'run',
      target: 'planner:3 -> builder:10',
    });
    expect(parseChainOptions(['--chain', 'x', '--dry-run'])).toMatchObject({ command: 'plan', target: 'x' });
  });

  it('knows its commands, wherever variables and options stand', () => {
    for (const command of ['run', 'plan'])
      expect(parseChainOptions(['A=1', command, 'x', '--json', 'B_2=a=b'])).toMatchObject({
        ...{ command, target: 'x', output: 'json' },
        variables: new Map([
          ['A', '1'],
          ['B_2', 'a=b'],
        ]),
      });
    expect(parseChainOptions(['run', 'x', '--dry-run'])).toMatchObject({ command: 'plan', target: 'x' });
    for (const command of ['list', 'runs', 'show', 'resume'])
      expect(parseChainOptions([command])).toMatchObject({ command, target: undefined });
    expect(parseChainOptions(['show', 'r1', '--help'])).toBe('help');
  });

  it('leaves a chain that begins with an arrow to the reader of chains', () => {
    expect(parseChainOptions(['-> builder'])).toMatchObject({ target: ' -> builder' });
  });

  it.each([
    [['run', 'a', 'b'], /one chain is expected, got 2: "a" "b"/],
    [['rum', 'build'], /unknown command "rum"\. Did you mean "run"\?/],
    [['run', 'build', 'task=7'], /"task=7" is no variable/],
    [['run', 'a', '--chain', 'b'], /--chain and "a" were both given/],
    [['run', 'a', '--promt', 'x'], /There is no option --promt\. Did you mean --prompt\?/],
    [['list', '--worktree'], /`turnout chain list` has no option --worktree/],
    [['resume', '--dry-run'], /`turnout chain resume` has no option --dry-run/],
    [['runs', 'x'], /`turnout chain runs` takes no argument, got "x"/],
    [['show', 'A=1'], /`turnout chain show` takes no variables, got A/],
    [['run', 'a', '--demo', '--backend', 'codex'], /--demo and --backend were both given/],
    [['plan', 'a', '--output', 'stream-json'], /--output expects one of text, json, got "stream-json"/],
    [['run', 'a', '--output', 'xml'], /--output expects one of text, json, stream-json, got "xml"/],
    [['run', 'a', '--json', '--output', 'text'], /--json and --output text were both given/],
    [['run', 'a', '--model', ' '], /--model expects a value/],
  ])('%j is wrong usage, by name', (argv, message) => {
    expect(() => parseChainOptions(argv)).toThrow(message);
  });
});
