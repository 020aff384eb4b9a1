import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it, type Stage } from '../../../contract/stage.js';
import { TerminalRun } from '../terminal-run.js';
import { buildOnce, demoAgent } from '../turnout.js';

beforeAll(buildOnce);

const question = 'allow it? [y]es, [a]lways, [n]o: ';

describe('turnout run --live --permission-mode ask, in a terminal', () => {
  it('runs the tool that is allowed, and asks again where the answer was none', async ({ stage }) => {
    const terminal = run(stage, 'write a note: allowed');
    await terminal.until(question);
    expect(terminal.screen).toMatch(/Write.* needs your permission[\s\S]*demo-note\.txt[\s\S]*\+allowed/);
    terminal.type('what?\r');
    await terminal.until(question, 2);
    expect(existsSync(noteOn(stage))).toBe(false);
    terminal.type('yes\r');
    expect(await terminal.exitCode).toBe(0);
    expect(readFileSync(noteOn(stage), 'utf8')).toBe('allowed\n');
    expect(terminal.screen).toContain('I wrote the note');
    expect(terminal.screen).not.toContain('withdrawn');
  });

  for (const keys of ['y\r', 'y', 'a\ry'])
    it(`takes ${JSON.stringify(keys)}, typed before the question, for no answer to it (18.1)`, async ({
      stage,
    }) => {
      const terminal = run(stage, 'write a note: typed ahead');
      terminal.type(keys);
      await terminal.until(question);
      terminal.type('\r');
      await terminal.until(question, 2);
      expect(existsSync(noteOn(stage))).toBe(false);
      terminal.type('n\r');
      expect(await terminal.exitCode).toBe(0);
      expect(existsSync(noteOn(stage))).toBe(false);
    });

  it('does not run the tool that is denied', async ({ stage }) => {
    const terminal = run(stage, 'write a note: denied');
    await terminal.until(question);
    terminal.type('n\r');
    expect(await terminal.exitCode).toBe(0);
    expect(existsSync(noteOn(stage))).toBe(false);
    expect(terminal.screen).toContain('The user said no');
  });

  it('asks nobody with Claude’s dontAsk: the tool is denied at once (O5)', async ({ stage }) => {
    const terminal = run(stage, 'write a note: denied', ['--permission-mode', 'dontAsk']);
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen).not.toContain(question);
    expect(terminal.screen).toContain('I could not write the note');
    expect(existsSync(noteOn(stage))).toBe(false);
  });

  it('withdraws the question when nobody answers in time, and the turn goes on', async ({ stage }) => {
    const terminal = run(stage, 'write a note: late', ['--permission-timeout', '1']);
    await terminal.until(question);
    await terminal.until(
      'turnout: the question was withdrawn: Nobody answered the permission request for Write within 1 s',
    );
    expect(await terminal.exitCode).toBe(0);
    expect(existsSync(noteOn(stage))).toBe(false);
    expect(terminal.screen).toContain('I could not write the note');
  });

  it('withdraws the question when the turn’s time is up', async ({ stage }) => {
    const terminal = run(stage, 'write a note: late', ['--timeout', '2']);
    await terminal.until(question);
    expect(await terminal.exitCode).toBe(124);
    expect(terminal.screen).toContain('the question was withdrawn: The turn took longer than 2 s');
  });

  it('withdraws the question when the agent dies', async ({ stage }) => {
    const terminal = run(stage, 'write a note: never');
    await terminal.until(question);
    for (const row of stage.processes()) {
      if (row.includes('demo-agent')) process.kill(Number(row.split(' ')[0]), 'SIGKILL');
    }
    expect(await terminal.exitCode).toBe(1);
    expect(terminal.screen).toContain('the question was withdrawn: the agent no longer waits');
    expect(terminal.screen).toContain('signal SIGKILL');
  });

  it('takes Ctrl-D for a no, and the turn goes on [fault 13.12: Ctrl-D at a permission question]', async ({
    stage,
  }) => {
    const terminal = run(stage, 'write a note: never');
    await terminal.until(question);
    terminal.type('\u0004');
    expect(await terminal.exitCode).toBe(0);
    expect(existsSync(noteOn(stage))).toBe(false);
    expect(terminal.screen).toContain('I could not write the note');
  });

  it('is left with Ctrl-C, and nothing stays', async ({ stage }) => {
    const terminal = run(stage, 'write a note: never');
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

function run(stage: Stage, prompt: string, more: readonly string[] = []): TerminalRun {
  const env = { ...stage.env, BACKEND_CLI_PATH: demoAgent, TURNOUT_DEMO_SPEED: '0' };
  const args = ['run', prompt, '--live', '--permission-mode', 'ask', ...more];
  return new TerminalRun({ workingDir: stage.workingDir, env }, args);
}
