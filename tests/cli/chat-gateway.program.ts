import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { directory, exitCode, type Run, startProgram, url } from '../gateway/program.js';
import { buildOnce, demoAgent, turnout } from '../unit/cli/turnout.js';
import { TerminalStage } from './terminal-stage.js';

beforeAll(buildOnce);

const idle = 'Ask anything; /help lists the commands';
const env = { AGENT_BACKEND: 'claude', BACKEND_CLI_PATH: demoAgent, PERMISSION_MODE: 'ask' };

describe('turnout chat --gateway (18.1)', () => {
  it('talks in a channel, answers its questions, sees what others say, and outlives the gateway', async () => {
    const root = directory();
    let gateway = await started(root);
    const place = { workingDir: root, env: placeEnv(root) };
    const chat = new TerminalStage(place, ['chat', '--gateway', 'home']);
    await chat.until(idle);
    await chat.until('channel home · claude');
    chat.say('remember that it is shared');
    await chat.until('I will remember: it is shared');
    await chat.until(idle);

    chat.say('write a note: from the chat');
    await chat.until('Write needs your permission');
    await chat.untilAsked();
    expect(existsSync(join(root, 'work', 'demo-note.txt'))).toBe(false);
    chat.type('y\r');
    await chat.until(/✓ Write demo-note.txt/);
    await chat.until(idle);

    const { code } = await turnout(place, ['send', 'home', 'say exactly: from the shell', '--wait']);
    expect(code).toBe(0);
    await chat.until('❯ say exactly: from the shell');
    await chat.until(/^from the shell$/m);

    chat.say('/status');
    await chat.until(/permission/i);
    await chat.until(idle);

    gateway.child.kill('SIGKILL');
    await exitCode(gateway);
    await chat.until("can't be reached");
    gateway = await started(root);
    await chat.until('The gateway is there again.');
    chat.say('what do you remember');
    await chat.until('• it is shared');
    await chat.until(idle);
    chat.type('\u0004');
    expect(await chat.exitCode).toBe(0);
    expect(chat.scrollback).toContain('To go on: turnout chat --gateway home');
    expect(chat.scrollback.match(/I will remember: it is shared/g)).toHaveLength(1);

    const again = new TerminalStage(place, ['chat', '--gateway', 'home']);
    await again.until('• it is shared');
    await again.until(idle);
    again.type('\u0004');
    expect(await again.exitCode).toBe(0);
    gateway.child.kill('SIGTERM');
    await exitCode(gateway);
  });

  it('without a gateway: 3, and how to start one; flags that count nothing there: 2', async () => {
    const root = directory();
    const place = { workingDir: root, env: placeEnv(root) };
    const nobody = new TerminalStage(place, ['chat', '--gateway', 'home']);
    expect(await nobody.exitCode).toBe(3);
    expect(nobody.scrollback).toContain('turnout gateway');
    const wrong = new TerminalStage(place, ['chat', '--gateway', 'home', '-b', 'codex']);
    expect(await wrong.exitCode).toBe(2);
    expect(wrong.scrollback).toContain('--backend and --gateway');
  });
});

async function started(root: string): Promise<Run> {
  const run = startProgram(root, { ...env, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` });
  await url(run);
  return run;
}

function placeEnv(root: string): Record<string, string> {
  return { HOME: root, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
}
