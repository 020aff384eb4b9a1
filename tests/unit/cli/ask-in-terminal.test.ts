import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import { beforeAll, describe, expect } from 'vitest';
import { it, type Stage } from '../../contract/stage.js';
import { buildOnce } from './turnout.js';

beforeAll(buildOnce, 60_000);

const inDist = (path: string) => fileURLToPath(new URL(`../../../dist/${path}`, import.meta.url));
const question = 'allow it? [y]es, [a]lways, [n]o: ';

describe('turnout run --live --permission-mode ask, in a terminal', () => {
  it('runs the tool that is allowed, and asks again where the answer was none', async ({ stage }) => {
    const terminal = new TerminalRun(stage, 'write a note: allowed');
    await terminal.until(question);
    expect(terminal.screen).toContain('the agent wants to use Write: {"file_path":');
    terminal.type('what?\r');
    await terminal.until(question, 2);
    expect(existsSync(noteOn(stage))).toBe(false);
    terminal.type('yes\r');
    expect(await terminal.exitCode).toBe(0);
    expect(readFileSync(noteOn(stage), 'utf8')).toBe('allowed\n');
    expect(terminal.screen).toContain('I wrote the note');
    expect(terminal.screen).not.toContain('withdrawn');
  });

  it('does not run the tool that is denied', async ({ stage }) => {
    const terminal = new TerminalRun(stage, 'write a note: denied');
    await terminal.until(question);
    terminal.type('n\r');
    expect(await terminal.exitCode).toBe(0);
    expect(existsSync(noteOn(stage))).toBe(false);
    expect(terminal.screen).toContain('The user said no');
  });

  it('withdraws the question when nobody answers in time, and the turn goes on', async ({ stage }) => {
    const terminal = new TerminalRun(stage, 'write a note: late', ['--permission-timeout', '1']);
    await terminal.until(question);
    await terminal.until(
      'turnout: the question was withdrawn: Nobody answered the permission request for Write within 1 s',
    );
    expect(await terminal.exitCode).toBe(0);
    expect(existsSync(noteOn(stage))).toBe(false);
    expect(terminal.screen).toContain('I could not write the note');
  });

  it('withdraws the question when the turn’s time is up', async ({ stage }) => {
    const terminal = new TerminalRun(stage, 'write a note: late', ['--timeout', '2']);
    await terminal.until(question);
    expect(await terminal.exitCode).toBe(124);
    expect(terminal.screen).toContain('the question was withdrawn: The turn took longer than 2 s');
  });

  it('withdraws the question when the agent dies', async ({ stage }) => {
    const terminal = new TerminalRun(stage, 'write a note: never');
    await terminal.until(question);
    for (const row of stage.processes()) {
      if (row.includes('demo-agent')) process.kill(Number(row.split(' ')[0]), 'SIGKILL');
    }
    expect(await terminal.exitCode).toBe(1);
    expect(terminal.screen).toContain('the question was withdrawn: the agent no longer waits');
    expect(terminal.screen).toContain('signal SIGKILL');
  });

  it('is left with Ctrl-C, and nothing stays', async ({ stage }) => {
    const terminal = new TerminalRun(stage, 'write a note: never');
    await terminal.until(question);
    terminal.type('\u0003');
    expect(await terminal.exitCode).toBe(130);
    expect(terminal.screen).toContain('the question was withdrawn: Interrupted');
    expect(existsSync(noteOn(stage))).toBe(false);
    expect(stage.processes()).toEqual([]);
  });
});

function noteOn(stage: Stage): string {
  return join(stage.workingDir, 'demo-note.txt');
}

/** A person in front of a real terminal. */
class TerminalRun {
  screen = '';
  readonly exitCode: Promise<number>;
  readonly #pty: IPty;
  #changed: () => void = () => {};

  constructor(stage: Stage, prompt: string, more: readonly string[] = []) {
    const args = ['run', prompt, '--live', '--permission-mode', 'ask', ...more];
    this.#pty = spawn(process.execPath, [inDist('cli/main.js'), ...args], {
      cols: 200,
      rows: 50,
      cwd: stage.workingDir,
      env: { ...stage.env, BACKEND_CLI_PATH: inDist('demo-agent/main.js'), TURNOUT_DEMO_SPEED: '0' },
    });
    this.#pty.onData((data) => {
      this.screen += data;
      this.#changed();
    });
    this.exitCode = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => resolve(exitCode));
    });
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Waits until the screen has shown this so many times. */
  async until(text: string, times = 1): Promise<void> {
    const over = this.exitCode.then((code) => `it ended with ${code}`);
    while (this.screen.split(text).length <= times) {
      const changed = new Promise<undefined>((resolve) => {
        this.#changed = () => resolve(undefined);
      });
      const ended = await Promise.race([changed, over]);
      if (ended !== undefined && this.screen.split(text).length <= times)
        throw new Error(`${ended} without ${JSON.stringify(text)}:\n${this.screen}`);
    }
  }
}
