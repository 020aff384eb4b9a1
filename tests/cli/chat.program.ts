import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it, type Stage } from '../contract/stage.js';
import { buildOnce, demoAgent, type Place, program, turnout } from '../unit/cli/turnout.js';
import { type StageOptions, TerminalStage } from './terminal-stage.js';

beforeAll(buildOnce);

const idle = 'Ask anything; /help lists the commands';
const asked = '[y] allow  [a] always  [n] deny';

describe('turnout chat in a terminal (18.1)', () => {
  it('answers, remembers, uses tools, and says how to go on', async ({ stage }) => {
    writeFileSync(join(stage.workingDir, 'README.md'), '# Hello\n');
    const chat = start(stage);
    await chat.until(idle);
    chat.say('remember that the signal is green');
    await chat.until('I will remember: the signal is green');
    await chat.until(idle);
    chat.say('what do you remember');
    await chat.until(/• the signal is green/);
    await chat.until(idle);
    chat.say('look around');
    await chat.until(/✓ LS \. {2}\d/);
    await chat.until(/✓ Read README.md {2}\d/);
    await chat.until(/ in, \d+ out/, 3);
    chat.type('\u0004');
    expect(await chat.exitCode).toBe(0);
    expect(chat.scrollback).toMatch(/To go on: turnout chat -b demo --resume [0-9a-f-]{36}$/);
    expect(chat.scrollback).not.toContain(idle);
    expect(chat.marksPastes).toBe(false);
  });

  it('asks before it writes: yes, no, and not by what was typed before', async ({ stage }) => {
    const chat = start(stage);
    await chat.until(idle);
    // The letters come before the question: they are the next message.
    chat.say('write a note: one');
    chat.type('yyy');
    await chat.until('Write needs your permission');
    await chat.until(/Esc, or an empty field: answer it\n❯ yyy/);
    expect(existsSync(join(stage.workingDir, 'demo-note.txt'))).toBe(false);
    chat.type('\u0015');
    await chat.untilAsked();
    expect(chat.screen).toContain('+one');
    expect(chat.screen).toMatch(/\? Write demo-note.txt {2}waits for you/);
    chat.type('y');
    await chat.until('y: allow it');
    await chat.until('→ allowed');
    await chat.until(/✓ Write demo-note.txt/);
    await chat.until(idle);
    expect(readFileSync(join(stage.workingDir, 'demo-note.txt'), 'utf8')).toBe('one\n');

    chat.say('write a note: two');
    await chat.until('Write needs your permission', 2);
    await chat.untilAsked();
    chat.type('n\r');
    await chat.until(/✗ Write demo-note.txt {2}denied/);
    await chat.until(idle);
    expect(readFileSync(join(stage.workingDir, 'demo-note.txt'), 'utf8')).toBe('one\n');
    await leave(chat);
  });

  it('a sentence at a question is no answer; always needs Enter; Esc denies', async ({ stage }) => {
    const note = join(stage.workingDir, 'demo-note.txt');
    const chat = start(stage);
    await chat.until(idle);
    chat.say('write a note: one');
    await chat.untilAsked();
    for (const letter of 'and use src/') {
      chat.type(letter);
      await pause(60);
    }
    await chat.until(/Esc, or an empty field: answer it\n❯ and use src\//);
    chat.type('\u001b');
    await chat.untilAsked();
    chat.type('\u001b');
    await chat.until(/✗ Write demo-note.txt {2}denied/);
    expect(existsSync(note)).toBe(false);
    await chat.until('❯ and use src/');
    chat.type('\u0015');
    await chat.until(idle);

    chat.say('write a note: two');
    await chat.until('Write needs your permission', 2);
    await chat.untilAsked();
    chat.type('a');
    await chat.until('a: always allow it · Enter confirms');
    await pause(900);
    expect(existsSync(note)).toBe(false);
    chat.type('\r');
    await chat.until('→ always allowed');
    await leave(chat);
  });

  it('what was said into a turn that is stopped comes back into the field', async ({ stage }) => {
    const chat = start(stage);
    await chat.until(idle);
    chat.say('count to 1000 slowly');
    await chat.until(/1 2 3/);
    chat.type('say exactly: STEERED');
    await chat.until('Enter: into this turn');
    chat.type('\r');
    await chat.until(/said into the running turn|queued: say exactly/);
    chat.type('\u0003');
    await chat.until('it is in the field again.');
    await chat.untilTrue(() => /\n❯ say exactly: STEERED\n/.test(chat.screen), 'the words in the field');
    chat.type('\u0015');
    await leave(chat);
  });

  it('Ctrl-C stops the turn, the session goes on; twice leaves', async ({ stage }) => {
    const chat = start(stage);
    await chat.until(idle);
    chat.say('remember that this is kept');
    await chat.until(/ out/);
    chat.say('count to 1000 slowly');
    await chat.until(/1 2 3/);
    chat.type('\u0003');
    await chat.until('Interrupted.');
    await chat.untilGone('Ctrl-C once more leaves.');
    chat.say('what do you remember');
    await chat.until('• this is kept');
    chat.say('count to 1000 slowly');
    await chat.until(/1 2 3/, 2);
    chat.type('\u0003\u0003');
    expect(await chat.exitCode).toBe(0);
  });

  it('what is typed while it works is said into the turn', async ({ stage }) => {
    const chat = start(stage);
    await chat.until(idle);
    chat.say('count to 12 slowly');
    await chat.until(/1 2/);
    chat.say('say exactly: STEERED');
    await chat.until('said into the running turn');
    await chat.until(/^STEERED/m);
    await leave(chat);
  });

  it('/backend hands the conversation over, and back', async ({ stage }) => {
    const chat = start(stage, [], { env: { BACKEND_CLI_PATH: demoAgent, AGENT_BACKEND: 'claude' } });
    await chat.until(idle);
    chat.say('remember that the word is PLUGH');
    await chat.until('I will remember: the word is PLUGH');
    await chat.until(/ out/);
    chat.say('/backend demo');
    await chat.until('demo answers from here on.');
    chat.say('what did I say before');
    await chat.until(/PLUGH[\s\S]*❯ what did I say before[\s\S]*PLUGH/);
    await chat.until(idle);
    chat.say('/backend claude');
    await chat.until('claude answers from here on.');
    chat.say('what do you remember');
    await chat.until('• the word is PLUGH');
    await chat.until(idle);
    chat.say('/backend claud');
    await chat.until('Did you mean claude?');
    await leave(chat);
  });

  it('--resume, /sessions and /new', async ({ stage }) => {
    const first = start(stage);
    await first.until(idle);
    first.say('remember that it is resumed');
    await first.until(/ out/);
    await leave(first);
    const [, id = ''] = /--resume (\S+)/.exec(first.scrollback) ?? [];

    const second = start(stage, ['--resume', id]);
    await second.until(
      /❯ remember that it is resumed\n\nI will remember: it is resumed[\s\S]*Going on with session/,
    );
    second.say('/sessions');
    await second.until('There is no other session');
    second.say('what do you remember');
    await second.until('• it is resumed');
    await second.until(idle);
    second.say('/new');
    await second.until('This is a new conversation.');
    second.say('what do you remember');
    await second.until('You told me nothing to remember');
    await leave(second);
  });

  it('its sessions are those of run: --continue, and /sessions of every CLI (18.4)', async ({ stage }) => {
    const env = { BACKEND_CLI_PATH: demoAgent, AGENT_BACKEND: 'claude' };
    const first = start(stage, [], { env });
    await first.until(idle);
    first.say('remember that claude was here');
    await first.until(/ out/);
    await leave(first);
    const done = await turnout(placeOf(stage), ['run', '--continue', 'what do you remember'], { env });
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('claude was here') });
    const listed = await turnout(placeOf(stage), ['sessions', '--json'], { env });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { backend: 'claude', title: 'remember that claude was here', recordedBy: 'turnout' },
    ]);

    const again = start(stage, ['--continue'], { env });
    await again.until('Going on with session');
    again.say('what do you remember');
    await again.until('• claude was here');
    await leave(again);

    const other = start(stage, ['-b', 'demo'], { env });
    await other.until(idle);
    other.say('/sessions');
    await other.until(/remember that claude was here {2}claude, /);
    other.type('\r');
    await other.until(/Going on with session \S+ of claude\./);
    other.say('what do you remember');
    await other.until('• claude was here');
    await leave(other);
    expect(other.scrollback).toMatch(/To go on: turnout chat -b claude --resume/);
  });

  it('keys: history, several lines, a paste, Tab, a resize', async ({ stage }) => {
    const chat = start(stage);
    await chat.until(idle);
    chat.say('say exactly: one');
    await chat.until(/^one$/m);
    chat.type('\u001b[A');
    await chat.until('❯ say exactly: one', 2);
    chat.type('\u0015first\u001b\rsecond');
    await chat.until(/❯ first\n {2}second/);
    chat.type('\u0015\u007f\u0015');
    chat.paste('a\nb\nc');
    await chat.until(/❯ a\n {2}b\n {2}c/);
    chat.resize(50, 20);
    await chat.untilTrue(() => chat.screen.split('❯ a').length === 2, 'one picture');
    chat.type('\u0003');
    await chat.until(idle);
    chat.type('/ba\t');
    await chat.until('❯ /backend');
    chat.type('cl\t');
    await chat.until('❯ /backend claude');
    chat.type('\u0015');
    await leave(chat);
    const history = join(stage.home, 'chat-history');
    expect(readFileSync(history, 'utf8')).toBe('"say exactly: one"\n');
    expect(statSync(history).mode & 0o777).toBe(0o600);
  });

  it('what a model says can’t steer the terminal', async ({ stage }) => {
    const chat = start(stage);
    await chat.until(idle);
    const before = chat.raw.length;
    chat.paste('say exactly: safe \u001b[2J\u001b]0;title\u0007 \u202e**bold** ok');
    chat.type('\r');
    await chat.until(/^safe\s+\[U\+202E\]bold ok$/m);
    expect(chat.raw.slice(before)).not.toContain('title');
    expect(chat.isStyled('bold ok', 'bold')).toBe(true);
    await leave(chat);
  });

  it('NO_COLOR has no colours; a dumb terminal gets lines alone', async ({ stage }) => {
    const plain = start(stage, [], { env: { NO_COLOR: '1' } });
    await plain.until(idle);
    plain.say('say exactly: **b**');
    await plain.until(/^b$/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is looked for
    expect(plain.raw).not.toMatch(/\u001b\[[\d;]*[1-9]m/);
    await leave(plain);

    const dumb = start(stage, [], { env: { TERM: 'dumb' } });
    await dumb.until('/help lists the commands');
    await dumb.until(/^❯$/m);
    dumb.type('write a note: x\r');
    await dumb.until(asked);
    await pause(700);
    dumb.type('y\r');
    await dumb.until('I wrote the note');
    await dumb.until(/ out/);
    dumb.type('/quit\r');
    expect(await dumb.exitCode).toBe(0);
    expect(dumb.raw).not.toContain('\u001b');
    expect(dumb.scrollback.split('write a note: x')).toHaveLength(2);
  });
});

describe('the terminal is left as it was (18.1)', () => {
  it.for<[NodeJS.Signals, number]>([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('after %s', async ([signal, code], { stage }) => {
    const chat = start(stage);
    await chat.until(idle);
    chat.say('count to 1000 slowly');
    await chat.until(/1 2 3/);
    process.kill(chat.pid, signal);
    expect(await chat.exitCode).toBe(code);
    expect(chat.marksPastes).toBe(false);
  });

  it('after a mistake of ours, which is told', async ({ stage }) => {
    const crash = "if (process.argv.includes('chat')) setTimeout(() => { throw new Error('boom') }, 1500)";
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(crash)}`;
    const chat = start(stage, [], { env: { NODE_OPTIONS } });
    await chat.until(idle);
    expect(chat.marksPastes).toBe(true);
    expect(await chat.exitCode).toBe(1);
    expect(chat.scrollback).toContain('chat has failed: Error: boom');
    expect(chat.scrollback).not.toContain(idle);
    expect(chat.marksPastes).toBe(false);
    await stage.untilNoProcess();
  });

  it('a hang-up of the terminal ends all', async ({ stage }) => {
    const chat = start(stage);
    await chat.until(idle);
    chat.say('count to 1000 slowly');
    await chat.until(/1 2 3/);
    chat.hangUp();
    await stage.untilNoProcess();
  });

  it('in a shell: modes before and after are the same; Ctrl-Z and fg work', async ({ stage }) => {
    const shell = new TerminalStage(placeOf(stage), [], { command: ['/bin/bash', '--norc', '-i'] });
    const modes = async (name: string) => {
      shell.say(`echo "${name}=$(stty -g | tr -d '\\n')."`);
      const pattern = new RegExp(`^${name}=([0-9a-f:\\n]+)\\.`, 'm');
      await shell.until(pattern);
      return pattern.exec(shell.scrollback)?.[1]?.replaceAll('\n', '');
    };
    const before = await modes('before');
    shell.say(`${process.execPath} ${program} chat -b demo; echo "code=$?"`);
    await shell.until(idle);
    shell.say('say exactly: one');
    await shell.until(/^one$/m);
    shell.type('\u001a');
    await shell.until(/Stopped/);
    expect(await modes('stopped')).toBe(before);
    shell.say('fg');
    await shell.until(idle);
    shell.say('say exactly: two');
    await shell.until(/^two$/m);
    await shell.until(idle);
    // In the middle of a turn, whose spinner goes on as soon as the process does.
    shell.say('count to 15 slowly');
    await shell.until(/1 2 3/);
    shell.type('\u001a');
    await shell.until(/Stopped/, 2);
    expect(shell.screen).not.toContain('is working');
    await pause(300);
    shell.say('fg');
    await shell.until(/ out/, 3);
    expect(shell.scrollback).not.toContain('is working');
    shell.type('\u0004');
    await shell.until(/To go on:[^\n]*\n(?:[^\n]*\n)?bash\S*[#$]/);
    expect(await modes('after')).toBe(before);
    shell.say('exit');
    await shell.exitCode;
  });
});

describe('turnout alone (18.1)', () => {
  it('is the chat in a terminal', async ({ stage }) => {
    const chat = new TerminalStage(placeOf(stage), [], { env: { BACKEND_CLI_PATH: demoAgent } });
    await chat.until(idle);
    await leave(chat);
  });

  it('is the overview elsewhere', async ({ stage }) => {
    expect(await turnout(placeOf(stage), [])).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('Usage:'),
    });
  });
});

describe('refused (18.1)', () => {
  it('without a terminal it names turnout run', async ({ stage }) => {
    const { code, stderr } = await turnout(placeOf(stage), ['chat'], { stdin: 'hello\n' });
    expect(code).toBe(2);
    expect(stderr).toContain('turnout run');
  });

  it('a CLI that is not there: 3, with the command that installs it', async ({ stage }) => {
    const chat = start(stage, ['-b', 'codex']);
    expect(await chat.exitCode).toBe(3);
    expect(chat.scrollback).toContain('npm install -g @openai/codex');
    expect(chat.marksPastes).toBe(false);
  });
});

function start(stage: Stage, args: readonly string[] = [], options: StageOptions = {}): TerminalStage {
  const own = args.includes('-b') || options.env?.['AGENT_BACKEND'] !== undefined ? [] : ['-b', 'demo'];
  return new TerminalStage(placeOf(stage), ['chat', ...own, ...args], options);
}

function placeOf(stage: Stage): Place {
  return { workingDir: stage.workingDir, env: stage.env };
}

async function leave(chat: TerminalStage): Promise<void> {
  await chat.until(idle);
  chat.type('\u0004');
  expect(await chat.exitCode).toBe(0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
