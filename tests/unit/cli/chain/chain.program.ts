import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it, type Stage } from '../../../contract/stage.js';
import { TerminalRun } from '../terminal-run.js';
import { buildOnce, finished, startTurnout, turnout } from '../turnout.js';

beforeAll(buildOnce);

/** A file as existing users have it. */
const chains = {
  agents: {
    planner: { systemPrompt: 'forge/orch/prompts/planner.md', model: 'opus', allowedTools: ['Read', 'LS'] },
    builder: { systemPromptText: 'You build.', backend: 'codex-cli', description: 'Builds' },
  },
  chains: {
    'build-all': {
      description: 'Plan, then build',
      prompt: 'say exactly: task ${TASK}',
      steps: [{ agent: 'planner' }, { agent: 'builder', iterations: 3, verify: 'test "$TASK" = 7' }],
    },
    slow: { prompt: 'count to 500', steps: [{ agent: 'planner', iterations: 2 }, { agent: 'builder' }] },
  },
};
const fast = { TURNOUT_DEMO_SPEED: '0' };

function withChains(stage: Stage, file: unknown = chains): void {
  const directory = join(stage.workingDir, 'forge/orch/prompts');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'planner.md'), 'You plan.');
  writeFileSync(join(stage.workingDir, 'forge/orch/chains.json'), JSON.stringify(file));
}

describe.concurrent('turnout chain', () => {
  it('runs a chain of existing users on the demo agent, and tells of the run (O6, O7)', async ({ stage }) => {
    withChains(stage);
    const done = await turnout(stage, ['chain', '--chain', 'build-all', 'TASK=7', '--demo'], { env: fast });
    expect(done.stderr).toContain('[1/2] planner (demo) begins\n');
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toMatch(
      /^build-all: completed\n {3}1 {2}planner .* single_run\n {3}2 {2}builder .* marker, verified\nrun \S+ · .*\nreport: (\S+)\n$/,
    );
    const [, reportFile = ''] = /report: (\S+)/.exec(done.stdout) ?? [];
    expect(readFileSync(reportFile, 'utf8')).toMatch(/^# build-all: completed\n/);
    const [run, ...others] = JSON.parse((await turnout(stage, ['chain', 'runs', '--demo', '--json'])).stdout);
    expect(others).toEqual([]);
    expect(run).toEqual({
      ...{
        runId: expect.any(String),
        chain: 'build-all',
        status: 'completed',
        startedAt: expect.any(String),
      },
    });
    const shown = await turnout(stage, ['chain', 'show', run.runId, '--demo', '--output', 'json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      ...{ runId: run.runId, chain: 'build-all', status: 'completed' },
      steps: [
        { agent: 'planner', backend: 'demo', status: 'done', reason: 'single_run', output: 'task 7' },
        {
          agent: 'builder',
          status: 'done',
          iterations: 1,
          reason: 'marker',
          output: 'task 7',
          verified: true,
        },
      ],
    });
    expect((await turnout(stage, ['chain', 'show', '--demo'])).stdout).toContain('\n   task 7\n');
  });

  it('prints every event with --output stream-json, and nothing else (O6)', async ({ stage }) => {
    withChains(stage);
    const args = ['chain', 'run', 'builder:2', '-p', 'say exactly: hi', '--demo', '--output', 'stream-json'];
    const done = await turnout(stage, args, { env: fast });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    const events = done.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const types = events.map(({ type }) => type).filter((type) => type !== 'agent_event');
    expect(types).toEqual([
      ...['run_start', 'step_start', 'iteration_start', 'iteration_end', 'step_end', 'run_end'],
    ]);
    expect(events.filter(({ type }) => type === 'agent_event').map(({ event }) => event.type)).toContain(
      'text',
    );
  });

  it('plans and lists without starting anything that the file names (O6, O9)', async ({ stage }) => {
    const bin = stage.path('bin');
    mkdirSync(bin);
    for (const name of ['claude', 'codex', 'own-agent'])
      writeFileSync(join(bin, name), '#!/bin/sh\ntouch "$0.started"\n', { mode: 0o755 });
    withChains(stage, {
      ...chains,
      chains: { c: { prompt: 'p', steps: [...chains.chains['build-all'].steps, { agent: 'own-agent' }] } },
    });
    const env = { PATH: `${bin}:${stage.env['PATH']}` };
    const plan = await turnout(stage, ['chain', 'plan', 'c', '--json'], { env });
    expect(plan).toMatchObject({ code: 0 });
    expect(JSON.parse(plan.stdout).steps).toMatchObject([
      {
        agent: 'planner',
        backend: 'claude',
        iterations: 1,
        loop: false,
        command: expect.stringContaining('claude'),
      },
      { agent: 'builder', backend: 'codex', iterations: 3, loop: true, refused: [] },
      { agent: 'own-agent', command: expect.stringContaining('own-agent') },
    ]);
    expect((await turnout(stage, ['chain', 'c', '--dry-run'], { env })).stdout).toContain(
      'nothing has been started',
    );
    const list = await turnout(stage, ['chain', 'list'], { env });
    expect(list.stdout).toMatch(
      /^Chains in forge\/orch\/chains\.json:\n {2}c\n {4}planner -> builder:3 -> own-agent\n/,
    );
    expect(list.stdout).toMatch(/\n {2}builder {2}codex-cli {2}Builds\n/);
    for (const name of ['claude', 'codex', 'own-agent'])
      expect(() => readFileSync(join(bin, `${name}.started`))).toThrow('ENOENT');
  });

  it('says all that is wrong before the first token, with the exit code 2 (O6)', async ({ stage }) => {
    withChains(stage, { agents: { a: { maxTurns: 0 } }, chains: { c: { steps: [] } } });
    for (const args of [['list'], ['run', 'c'], ['plan', 'c']]) {
      const done = await turnout(stage, ['chain', ...args]);
      expect(done).toMatchObject({ code: 2, stdout: '' });
      expect(done.stderr).toMatch(/agents\.a\.maxTurns.*\n.*chains\.c\.steps/);
    }
    for (const args of [[], ['run', 'c', '--nope'], ['rum', 'c'], ['--demo', '-> a'], ['resume', '--demo']])
      expect(await turnout(stage, ['chain', ...args]), args.join(' ')).toMatchObject({ code: 2 });
  });

  it('does not give the path and the model of AGENT_BACKEND to another backend (O5)', async ({ stage }) => {
    const bin = stage.path('bin');
    mkdirSync(bin);
    for (const name of ['claude', 'codex']) writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 });
    withChains(stage);
    const settings = { AGENT_BACKEND: 'codex', BACKEND_CLI_PATH: join(bin, 'codex'), BACKEND_MODEL: 'gpt-x' };
    const env = { ...settings, PATH: `${bin}:${stage.env['PATH']}` };
    const args = ['chain', 'plan', 'builder', '-p', 'x', '--json'];
    const codex = await turnout(stage, args, { env });
    expect(JSON.parse(codex.stdout).steps[0]).toMatchObject({
      ...{ backend: 'codex', command: expect.stringContaining('gpt-x') },
    });
    const claude = await turnout(stage, [...args, '--backend', 'claude'], { env });
    const [step] = JSON.parse(claude.stdout).steps;
    expect(step).toMatchObject({ backend: 'claude', command: expect.not.stringContaining('gpt-x') });
    expect(step.command).not.toContain('bin/codex');
    expect(claude.stderr).toContain('BACKEND_CLI_PATH');
  });

  it('keeps PERMISSION_MODE, of the environment and of .env, where an agent asks for more or says nothing (27.9)', async ({
    stage,
  }) => {
    const claude = stage.program('claude', 'exit 0');
    withChains(stage, {
      agents: {
        free: { systemPromptText: '' },
        loose: { systemPromptText: '', permissionMode: 'bypass', allowedTools: ['Bash'] },
        strict: { systemPromptText: '', permissionMode: 'plan' },
      },
      chains: {
        c: { steps: [{ agent: 'free' }, { agent: 'loose', args: ['--x'] }] },
        strict: { steps: [{ agent: 'strict' }] },
      },
    });
    const commands = async (chain: string, env: Record<string, string> = {}) => {
      const args = ['chain', 'plan', chain, '-p', 'x', '--json'];
      const done = await turnout(stage, args, { env: { BACKEND_CLI_PATH: claude, ...env } });
      const plan: { steps: { command: string }[]; warnings: string[] } = JSON.parse(done.stdout);
      return { said: plan.steps.map(({ command }) => command), warnings: plan.warnings.join('\n') };
    };
    const skips = expect.stringContaining('--dangerously-skip-permissions');
    const free = await commands('c');
    expect(free).toEqual({ said: [skips, skips], warnings: '' });
    const plan = expect.stringContaining('--permission-mode plan');
    const kept = await commands('c', { PERMISSION_MODE: 'plan', ALLOWED_TOOLS: 'Read' });
    expect(kept.said).toEqual([plan, plan]);
    expect(kept.said.join()).not.toContain('Bash');
    expect(kept.warnings).toContain('PERMISSION_MODE=plan is kept: the agent loose');
    expect(kept.warnings).toContain('To allow it: ALLOWED_TOOLS="Bash"');
    expect(kept.warnings).toContain('steps[2].args go to the CLI itself');
    mkdirSync(stage.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(stage.home, '.env'), 'PERMISSION_MODE=plan\n', { mode: 0o600 });
    expect((await commands('c')).said).toEqual([plan, plan]);
    expect((await commands('strict', { PERMISSION_MODE: 'ask' })).said).toEqual([plan]);
    const ran = await turnout(stage, ['chain', 'run', 'c', '-p', 'x'], { env: { BACKEND_CLI_PATH: claude } });
    expect(ran.stderr).toContain('PERMISSION_MODE=plan is kept: the agent loose');
    const env = { BACKEND_CLI_PATH: claude, PERMISSION_MODE: 'ask' };
    const asks = await turnout(stage, ['chain', 'run', 'c', '-p', 'x'], { env });
    expect(asks).toMatchObject({ code: 4, stdout: '' });
    expect(asks.stderr).toContain("PERMISSION_MODE=ask can't be kept, because nobody is asked in a chain");
  });

  it('is not resumed with more than is allowed by now (27.9)', async ({ stage }) => {
    withChains(stage, {
      agents: { a: { systemPromptText: '' } },
      chains: { c: { steps: [{ agent: 'a' }] } },
    });
    const env = { BACKEND_CLI_PATH: stage.program('claude', 'exit 1') };
    const failed = await turnout(stage, ['chain', 'run', 'c', '-p', 'x'], { env });
    expect(failed.code).toBe(1);
    const resumed = await turnout(stage, ['chain', 'resume'], { env: { ...env, PERMISSION_MODE: 'plan' } });
    expect(resumed).toMatchObject({ code: 4 });
    expect(resumed.stderr).toContain("This run can't go on: PERMISSION_MODE=plan is kept");
    expect(await turnout(stage, ['chain', 'resume'], { env })).toMatchObject({ code: 1 });
  });
});

describe.concurrent('a running chain', () => {
  it('is stopped by Ctrl-C, says how to go on, and does (O6)', async ({ stage }) => {
    withChains(stage);
    const terminal = new TerminalRun({ ...stage, env: { ...stage.env, TERM: 'xterm' } }, [
      ...['chain', 'run', 'slow', '--demo'],
    ]);
    await terminal.until('[1/2] planner (demo) 1/2 · 0:00');
    terminal.type('\u0003');
    await terminal.until('stopping … (again to quit at once)');
    expect(await terminal.exitCode).toBe(130);
    expect(terminal.screen).toMatch(/slow: interrupted\r\n/);
    expect(terminal.screen).toMatch(/\ngo on: turnout chain resume --demo \S+\r\n$/);
    const resumed = await turnout(stage, ['chain', 'resume', '--demo', '--json'], { env: fast });
    expect(resumed.stderr).toMatch(/turnout: going on with \S+ \(slow, interrupted, started /);
    expect(resumed).toMatchObject({ code: 0 });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ status: 'completed' });
  });

  it.skipIf(process.platform === 'win32')(
    'goes on after SIGHUP if it has no terminal, and ends with 130 after SIGTERM (O6)',
    async ({ stage }) => {
      withChains(stage);
      const child = startTurnout(stage, ['chain', 'run', 'slow', '--demo']);
      const done = finished(child);
      await new Promise((resolve) => child.stderr?.once('data', resolve));
      child.kill('SIGHUP');
      await new Promise((resolve) => child.stderr?.once('data', resolve));
      expect(child.exitCode).toBeNull();
      child.kill('SIGTERM');
      const { code, stdout, stderr } = await done;
      expect(code).toBe(130);
      expect(stdout).toMatch(/^slow: interrupted\n/);
      expect(stderr.match(/stopping/g)).toHaveLength(1);
      await stage.untilNoProcess();
    },
  );
});
