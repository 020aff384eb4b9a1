import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { spawn } from '@lydell/node-pty';
import { beforeAll, describe, expect } from 'vitest';
import { noteSession } from '../../../../src/cli/sessions/session-index.js';
import { it, type Stage } from '../../../contract/stage.js';
import { buildOnce, program, turnout } from '../turnout.js';

beforeAll(buildOnce);

/** The environment of a shell that has `turnout` on its PATH. */
function shellEnv(stage: Stage): Record<string, string> {
  mkdirSync(stage.home, { recursive: true, mode: 0o700 });
  const bin = stage.path('bin');
  mkdirSync(bin);
  writeFileSync(`${bin}/turnout`, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  });
  const agent = { systemPromptText: 'Build it.' };
  const chains = {
    agents: { builder: agent },
    chains: {
      overnight: { steps: [{ agent: 'builder' }] },
      // A directory may be somebody else's: a name must not be run.
      [`$(touch ${stage.path('touched')})`]: { steps: [{ agent: 'builder' }] },
    },
  };
  writeFileSync(`${stage.workingDir}/chains.json`, JSON.stringify(chains));
  mkdirSync(`${stage.workingDir}/some-directory`);
  const session = { backend: 'codex', sessionId: '3f2a9b1c-77aa-4bcd-8eff-0123456789ab', prompt: 'one' };
  noteSession(stage.home, { ...session, cwd: stage.workingDir });
  noteSession(stage.home, { ...session, sessionId: 'elsewhere', cwd: stage.home });
  return { ...stage.env, PATH: [bin, ...shellPlaces].join(':'), TERM: 'xterm' };
}

/** TURNOUT_TEST_SHELLS names a directory with shells that are installed in no usual place. */
const shellPlaces = [
  ...(process.env['TURNOUT_TEST_SHELLS']?.split(':') ?? []),
  ...['/bin', '/usr/bin', '/usr/local/bin'],
];

function isHere(shell: string): boolean {
  return shellPlaces.some((directory) => existsSync(`${directory}/${shell}`));
}

const expected: readonly (readonly [words: readonly string[], proposals: readonly string[]])[] = [
  [['c'], ['config', 'chat', 'capabilities', 'chain', 'completion']],
  [['run', '--b'], ['--backend']],
  [['run', '--backend', 'g'], ['gemini']],
  [
    ['run', '-b', 'c'],
    ['claude', 'codex', 'codex-sdk'],
  ],
  [['gateway', '--permission-mode', 'zz'], []],
  [
    ['run', '--permission-mode', ''],
    ['bypass', 'ask', 'edits', 'plan'],
  ],
  [
    ['chain', 'r'],
    ['run', 'runs', 'resume'],
  ],
  [['chain', 'run', ''], ['overnight']],
  [['chain', 'run', '--wo'], ['--worktree']],
  [['chain', 'list', '--wo'], []],
  [['agent', 'run', ''], ['builder']],
  [['usage', '--by', 'b'], ['backend']],
  [['help', 'wh'], ['why']],
  [['run', '-b', 'd'], ['demo']],
  [['run', '--resume', ''], ['3f2a9b1c-77aa']],
  [['run', '-m', 'some'], []],
  [
    ['config', 'set', 'per'],
    ['permission-mode', 'permission-timeout-ms'],
  ],
  [['config', 'get', 'PERMISSION_M'], ['PERMISSION_MODE']],
  [
    ['config', 'set', 'permission-mode', ''],
    ['bypass', 'ask', 'edits', 'plan'],
  ],
  [
    ['config', 'set', 'RUN_WARM', ''],
    ['1', '0'],
  ],
  [['config', 'set', 'agent-backend', 'g'], ['gemini']],
  [['permissions', 'allow', ''], []],
];

describe('turnout completion (18.8)', () => {
  it('refuses a shell that it does not know', async ({ stage }) => {
    const done = await turnout(stage, ['completion', 'fis']);
    expect(done).toMatchObject({ code: 2, stdout: '' });
    expect(done.stderr).toContain('expected one of bash, zsh, fish, got "fis". Did you mean fish?');
    expect(await turnout(stage, ['completion'])).toMatchObject({ code: 2, stdout: '' });
    expect(await turnout(stage, ['completion', 'values', 'nonsense'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('bash proposes commands, flags, values and names', ({ stage }) => {
    const env = shellEnv(stage);
    const tries = [...expected.map(([words]) => words), ['run', '--backend', '=', 'g'], ['run', '--', '--b']];
    const script = `source <(turnout completion bash)
try() { COMP_WORDS=(turnout "$@"); COMP_CWORD=$#; _turnout; echo "$(printf '%s ' "\${COMPREPLY[@]}")"; }
${tries.map((words) => `try ${words.map((word) => `'${word}'`).join(' ')}`).join('\n')}
`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
      cwd: stage.workingDir,
      env,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const found = stdout.split('\n').map((line) =>
      line
        .trim()
        .split(' ')
        .filter((word) => word !== ''),
    );
    expect(found.slice(0, tries.length)).toEqual([...expected.map(([, words]) => words), ['gemini'], []]);
    expect(existsSync(stage.path('touched'))).toBe(false);
  });

  it('bash completes what is typed', async ({ stage }) => {
    const env = shellEnv(stage);
    const screen = await typed('bash', ['--norc', '--noprofile', '-i'], stage, env, [
      'source <(turnout completion bash); echo read""y\r',
      'turnout cap\t --ba\t cl\t; turnout run --cwd some\t',
    ]);
    expect(screen).toContain('turnout capabilities  --backend  claude ; turnout run --cwd some-directory/');
  });

  it.runIf(isHere('zsh'))('zsh completes what is typed', async ({ stage }) => {
    const env = shellEnv(stage);
    const screen = await typed('zsh', ['-f', '-i'], stage, env, [
      'autoload -U compinit; compinit -u -D; source <(turnout completion zsh); echo read""y\r',
      'turnout cap\t --ba\tcl\t; turnout chain pl\t over\t; turnout run --cwd some\t',
    ]);
    expect(screen).toMatch(
      /turnout capabilities +--backend=+claude +; turnout chain plan +overnight +; turnout run --cwd some-directory\//,
    );
    expect(existsSync(stage.path('touched'))).toBe(false);
  });

  it.runIf(isHere('fish'))('fish proposes commands, flags, values and names', ({ stage }) => {
    const env = shellEnv(stage);
    const lines = expected.map(([words]) => `complete -C 'turnout ${words.join(' ')}'; echo ==`);
    const { stdout, stderr } = spawnSync(
      'fish',
      ['-N', '-c', `turnout completion fish | source; ${lines.join('; ')}`],
      { cwd: stage.workingDir, env, encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    const found = stdout
      .split('==\n')
      .slice(0, expected.length)
      .map((part) => part.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]])));
    for (const [index, [words, proposals]] of expected.entries())
      expect([words, [...(found[index] ?? [])].sort()]).toEqual([words, [...proposals].sort()]);
    expect(existsSync(stage.path('touched'))).toBe(false);
  });
});

/** What a terminal shows of the last line that was typed into a shell. */
async function typed(
  shell: string,
  args: readonly string[],
  { workingDir }: Stage,
  env: Record<string, string>,
  [first = '', last = '']: readonly string[],
): Promise<string> {
  const pty = spawn(shell, [...args], { cols: 300, rows: 30, cwd: workingDir, env: { ...env, PS1: '$ ' } });
  let screen = '';
  const ended = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  pty.onData((data) => {
    screen += data;
  });
  const until = async (isThere: () => boolean) => {
    for (let tries = 0; tries < 400 && !isThere(); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 25));
  };
  pty.write(first);
  await until(() => screen.includes('ready\r\n'));
  screen = '';
  // Word by word: a shell takes keys that come while it completes as typed ahead.
  for (const piece of last.split(/(?<=\t)/)) {
    const before = screen.length;
    pty.write(piece);
    await until(() => screen.length > before + piece.length);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor and colours
  const shown = screen.replaceAll(/\u001b\[[0-9;?]*[a-zA-Z]|[\u0007\u0008\r]/g, '');
  pty.kill('SIGKILL');
  await ended;
  return shown;
}
