import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it, type Stage } from '../contract/stage.js';
import { fullyHostileRepository, unreadableSettings } from '../unit/cli/hostile-repository.js';
import { buildOnce, demoAgent, type Place, turnout } from '../unit/cli/turnout.js';
import { TerminalStage } from './terminal-stage.js';

beforeAll(buildOnce);

const idle = 'Ask anything; /help lists the commands';

describe('a hostile repository (18)', () => {
  it('is not obeyed by chat: its programs, its settings, its sessions', async ({ stage }) => {
    const repository = fullyHostileRepository(stage);
    const before = repository.files();
    const chat = new TerminalStage(userOf(stage), []);
    await chat.until(idle);
    chat.say('write a note: mine');
    // PERMISSION_MODE=bypass of the repository would not ask.
    await chat.untilAsked();
    chat.type('n\r');
    await chat.until(/✗ Write demo-note.txt {2}denied/);
    await chat.until(idle);
    chat.type('\u001b[A');
    await chat.until('❯ write a note: mine', 2);
    chat.type('\u0003');
    await chat.until(idle);
    chat.say('/sessions');
    await chat.until('There is no other session in this directory.');
    await chat.until(idle);
    chat.type('\u0004');
    expect(await chat.exitCode).toBe(0);
    expect(chat.raw).not.toMatch(/the-repositorys|words of the repository/);
    expect(repository.files()).toEqual(before);
    expect(repository.ran()).toBe(false);
    expect(existsSync(join(stage.home, 'chat-history'))).toBe(true);
  });

  it('is not obeyed by init, which writes to the user’s home alone', async ({ stage }) => {
    const repository = fullyHostileRepository(stage);
    const before = repository.files();
    const init = new TerminalStage(userOf(stage), ['init']);
    expect(await init.exitCode).toBe(0);
    expect(init.scrollback).toContain('claude answers from now on');
    expect(init.scrollback).not.toMatch(/9\.9\.9|the-repositorys/);
    const written = readFileSync(join(stage.home, 'config.yaml'), 'utf8');
    expect(written).toContain('AGENT_BACKEND: claude\n');
    expect(written).not.toMatch(/^[^#]*(?:BACKEND_CLI_PATH|BACKEND_MODEL|PERMISSION_MODE):/m);
    expect(repository.files()).toEqual(before);
    expect(repository.ran()).toBe(false);
  });

  it.for([
    ['run hello', 0, /Hello|hello/],
    ['run --warm hello', 0, /Hello|hello/],
    ['run --continue hello', 1, /^$/],
    ['config get backend-model', 1, /^$/],
    ['config get log-level', 0, /^info\n$/],
    ['config path', 0, /home\/config\.yaml\n$/],
    ['sessions', 0, /There is no session/],
    ['doctor', 0, /claude/],
    ['host status', 1, /No host runs/],
    ['status', 3, /^$/],
  ] as const)('is not obeyed by turnout %s', async ([line, code, output], { stage }) => {
    const repository = fullyHostileRepository(stage);
    const before = repository.files();
    const done = await turnout(userOf(stage), line.split(' '));
    expect(done).toMatchObject({ code, stdout: expect.stringMatching(output) });
    expect(done.stdout + done.stderr).not.toMatch(/the-repositorys|9\.9\.9/);
    if (line.includes('--warm')) await turnout(userOf(stage), ['host', 'stop']);
    await stage.untilNoProcess();
    expect(repository.files()).toEqual(before);
    expect(repository.ran()).toBe(false);
  });

  it('has settings that nobody reads: to open one would be to wait for ever', async ({ stage }) => {
    unreadableSettings(stage);
    const place = userOf(stage);
    for (const line of ['run hello', 'init --yes', 'config list', 'sessions', 'doctor', 'schedule'])
      expect(await turnout(place, line.split(' ')), line).toMatchObject({ code: 0 });
    const chat = new TerminalStage(place, []);
    await chat.until(idle);
    chat.say('hello');
    await chat.until(/ in, \d+ out/);
    await chat.until(idle);
    chat.type('\u0004');
    expect(await chat.exitCode).toBe(0);
  });
});

/** A person with a CLI of their own, and with the working directory on the PATH, in front. */
function userOf(stage: Stage): Place {
  const bin = stage.path('bin');
  if (!existsSync(bin)) {
    mkdirSync(bin);
    for (const [name, target] of [
      ['node', process.execPath],
      ['env', '/usr/bin/env'],
      ['claude', demoAgent],
    ] as const)
      symlinkSync(target, join(bin, name));
  }
  return { workingDir: stage.workingDir, env: { ...stage.env, PATH: `.:./:${bin}` } };
}
