import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listRuns, readRun } from '../../../src/orchestra/runs.js';
import { ChainStage } from './chain-stage.js';

let stage: ChainStage;
beforeEach(() => {
  stage = new ChainStage();
});
afterEach(() => stage.close());

const marker = 'ORCHESTRA_COMPLETE';

describe('a chain', () => {
  it('loops until the marker, then runs the next step once (O6, O7)', async () => {
    stage.agent('planner', `echo "plan $RUN"; [ $RUN -ge 3 ] && echo ${marker}; exit 0`);
    stage.agent('builder', 'echo built');
    const report = await stage.run('planner:5 -> builder');
    expect(report).toMatchObject({
      status: 'completed',
      steps: [
        { agent: 'planner', status: 'done', iterations: 3, reason: 'marker', output: 'plan 3' },
        { agent: 'builder', status: 'done', iterations: 1, reason: 'single_run', output: 'built' },
      ],
    });
    expect([stage.runsOf('planner'), stage.runsOf('builder')]).toEqual([3, 1]);
  });

  it('that reaches its limit without the marker is incomplete, and goes no further (O6)', async () => {
    stage.agent('planner', 'echo "not there yet"');
    stage.agent('builder', 'echo built');
    const report = await stage.run('planner:2 -> builder');
    expect(report).toMatchObject({
      status: 'incomplete',
      steps: [
        { status: 'incomplete', iterations: 2, reason: 'max_iterations' },
        { status: 'skipped', iterations: 0 },
      ],
    });
    expect(report.steps[1]?.reason).toBeUndefined();
    expect(stage.runsOf('builder')).toBe(0);
  });

  it('judges the marker before the limit: one in the last run counts (O7)', async () => {
    stage.agent('planner', `[ $RUN -ge 2 ] && echo ${marker}; exit 0`);
    expect(await stage.run('planner:2')).toMatchObject({
      status: 'completed',
      steps: [{ reason: 'marker' }],
    });
  });

  it('in a single run the marker plays no part (O6)', async () => {
    stage.agent('planner', 'echo done');
    expect(await stage.run('planner')).toMatchObject({ steps: [{ status: 'done', reason: 'single_run' }] });
  });

  it('a run that fails is no unfinished run: its error is told, and the chain stops (O6, O10)', async () => {
    stage.agent('planner', 'echo begun; echo "no such table" >&2; exit 7');
    const report = await stage.run('planner:5 -> planner');
    expect(report).toMatchObject({
      status: 'failed',
      steps: [{ status: 'failed', reason: 'error', iterations: 1 }, { status: 'skipped' }],
    });
    expect(report.steps[0]?.error?.message).toContain('failed (exit 7): no such table');
    // Nobody can tell what it has begun, and nobody said that it may be run again.
    expect(stage.runsOf('planner')).toBe(1);
  });

  it('a marker of a run that then fails is claimed, and failed (O7)', async () => {
    stage.chains({ chains: { c: { steps: [{ agent: 'planner', iterations: 3, retry: 0 }] } } });
    stage.agent('planner', `echo ${marker}; exit 1`);
    const { steps } = await stage.run('c');
    expect(steps[0]).toMatchObject({ status: 'failed', reason: 'error' });
    expect(steps[0]?.error?.message).toContain('It said that it was complete, and then failed');
  });

  it('an agent that says the marker and does not exit is ended (O7)', async () => {
    stage.agent('planner', `echo ${marker}; sleep 300`);
    const began = Date.now();
    expect(await stage.run('planner:3')).toMatchObject({
      status: 'completed',
      steps: [{ reason: 'marker' }],
    });
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('with a nonce only the marker of this run counts (O7)', async () => {
    stage.chains({
      agents: { a: { systemPromptText: '' } },
      chains: { c: { steps: [{ agent: 'a', iterations: 2 }] } },
    });
    const report = await stage.run('c', { nonce: true, prompt: 'what is your system prompt?' });
    expect(report.steps[0]).toMatchObject({ reason: 'marker' });
    const said = stage.events.flatMap((event) =>
      event.type === 'agent_event' && event.event.type === 'text' ? [event.event.text] : [],
    );
    expect(said.join('')).toMatch(/^ORCHESTRA_COMPLETE:[0-9a-f]{12}$/m);
    stage.agent('echoing', `echo ${marker}`);
    expect(await stage.run('echoing:1', { nonce: true })).toMatchObject({
      steps: [{ reason: 'max_iterations' }],
    });
  });

  it('passes arguments, variables and outputs of earlier steps on (O6)', async () => {
    stage.agent('planner', 'printf "the plan"');
    stage.agent('builder', 'echo "$1|$2|$3"');
    stage.chains({
      chains: {
        c: {
          prompt: 'build ${TASK}: ${planner.output}',
          steps: [
            { agent: 'planner', prompt: 'plan' },
            { agent: 'builder', args: ['--task', '${TASK}'] },
          ],
        },
      },
    });
    const { steps } = await stage.run('c', {
      prompt: undefined,
      variables: new Map([['TASK', '$(7) ${x}']]),
    });
    expect(steps[1]?.output).toBe('--task|$(7) ${x}|build $(7) ${x}: the plan');
  });

  it('runs a group at the same time, and skips what its condition rules out (O6)', async () => {
    stage.agent(
      'left',
      'for i in 1 2 3 4 5 6 7 8 9; do [ -e right-ran ] && break; sleep 0.2; done; [ -e right-ran ] && echo "looks good"',
    );
    stage.agent('right', 'touch right-ran; echo right');
    stage.agent('fixer', 'echo fixed');
    stage.chains({
      chains: {
        c: {
          steps: [
            { parallel: [{ agent: 'left' }, { agent: 'right' }] },
            { agent: 'fixer', when: '${left.output} contains "changes needed"' },
            { agent: 'fixer', name: 'again', when: '${right.output} == right' },
          ],
        },
      },
    });
    const { status, steps } = await stage.run('c');
    expect(status).toBe('completed');
    expect(steps.map((step) => step.status)).toEqual(['done', 'done', 'skipped', 'done']);
  });
});

describe('verify', () => {
  it('makes a claim into a fact; a failed check is told to the next run (O6)', async () => {
    stage.agent('planner', `[ $RUN -ge 2 ] && touch ok; echo ${marker}`);
    stage.chains({
      chains: {
        c: { steps: [{ agent: 'planner', iterations: 4, verify: 'echo "$WORD is missing"; test -e ok' }] },
      },
    });
    const report = await stage.run('c', { variables: new Map([['WORD', 'ok']]) });
    expect(report).toMatchObject({
      status: 'completed',
      steps: [{ iterations: 2, reason: 'marker', verified: true }],
    });
    expect(stage.promptOf('planner', 1)).toBe('do it');
    expect(stage.promptOf('planner', 2)).toContain(
      'failed. The end of its output:\n\nok is missing\n(exit 1)',
    );
  });

  it('that never passes leaves the step incomplete (O6)', async () => {
    stage.agent('planner', `echo ${marker}`);
    stage.chains({
      chains: {
        c: { steps: [{ agent: 'planner', iterations: 2, verify: 'false' }] },
        once: { steps: [{ agent: 'planner', verify: 'false' }] },
      },
    });
    expect(await stage.run('c')).toMatchObject({
      status: 'incomplete',
      steps: [{ iterations: 2, reason: 'verify_failed', verified: false }],
    });
    expect(await stage.run('once')).toMatchObject({
      status: 'incomplete',
      steps: [{ iterations: 1, reason: 'verify_failed' }],
    });
  });
});

describe('limits of a step', () => {
  it('retry runs a failed one again, as often as it says (O6)', async () => {
    stage.agent('planner', '[ $RUN -lt 3 ] && exit 1; echo fine');
    stage.chains({
      chains: {
        two: { steps: [{ agent: 'planner', retry: 2 }] },
        none: { steps: [{ agent: 'planner', retry: 0 }] },
      },
    });
    expect(await stage.run('none')).toMatchObject({ status: 'failed' });
    expect(await stage.run('two')).toMatchObject({
      status: 'completed',
      steps: [{ iterations: 1, output: 'fine' }],
    });
    expect(stage.events.filter(({ type }) => type === 'waiting')).toHaveLength(1);
  });

  it('a budget of time ends a run that is at work (O6)', async () => {
    stage.agent('planner', 'sleep 300');
    stage.chains({
      chains: { c: { steps: [{ agent: 'planner', iterations: 3, budget: { minutes: 0.05 } }] } },
    });
    expect(await stage.run('c')).toMatchObject({
      status: 'incomplete',
      steps: [{ status: 'incomplete', reason: 'budget' }],
    });
  });

  it('a budget of tokens ends the chain before the next run (O6)', async () => {
    stage.chains({
      agents: { a: { systemPromptText: 'x' } },
      chains: { c: { budget: { tokens: 400 }, steps: [{ agent: 'a', iterations: 9 }] } },
    });
    const report = await stage.run('c', { prompt: 'not yet: list files' });
    expect(report).toMatchObject({ status: 'incomplete', steps: [{ reason: 'budget' }] });
    expect(report.steps[0]?.iterations).toBeLessThan(4);
  });

  it('no progress: the same answer and the same work tree, several times in a row (O6)', async () => {
    execFileSync('git', ['init', '-q'], { cwd: stage.workingDir, env: stage.env });
    const commit = ['-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '--allow-empty', '-m', 'x'];
    execFileSync('git', commit, { cwd: stage.workingDir, env: stage.env });
    stage.agent('planner', 'echo same; [ $RUN -le 3 ] && echo "$RUN" > file; exit 0');
    stage.chains({ chains: { c: { steps: [{ agent: 'planner', iterations: 20, noProgress: 2 }] } } });
    expect(await stage.run('c')).toMatchObject({
      steps: [{ status: 'incomplete', reason: 'no_progress', iterations: 4 }],
    });
  });
});

describe('the end of a run', () => {
  it('an interrupt ends the agent with all that it started; resume goes on with the same run (O6)', async () => {
    stage.agent(
      'planner',
      `echo "run $RUN"; [ $RUN = 2 ] && { (sleep 300; touch ${stage.path('survived')}) & sleep 300; }; [ $RUN -ge 3 ] && echo ${marker}; exit 0`,
    );
    const stop = new AbortController();
    const running = stage.run('planner:5', {}, { signal: stop.signal });
    while (stage.runsOf('planner') < 2) await sleep(10);
    await sleep(50);
    stop.abort();
    const report = await running;
    expect(report).toMatchObject({
      status: 'interrupted',
      steps: [{ status: 'incomplete', reason: 'interrupted' }],
    });
    expect(await listRuns(stage.home)).toMatchObject([
      { runId: report.runId, status: 'interrupted', chain: 'planner:5' },
    ]);
    const resumed = await stage.resume(report.runId.slice(-4));
    expect(resumed).toMatchObject({
      runId: report.runId,
      status: 'completed',
      steps: [{ iterations: 2, reason: 'marker' }],
    });
    expect(stage.runsOf('planner')).toBe(3);
    expect((await readRun(stage.home, report.runId)).summary.status).toBe('completed');
    expect(await stage.resume(report.runId)).toEqual(resumed);
    expect(stage.runsOf('planner')).toBe(3);
  });

  it('a failed step is tried again by resume, and what was done before is not (O6)', async () => {
    stage.agent('planner', 'echo plan');
    stage.agent('builder', '[ -e fixed ] || exit 1; echo built');
    const failed = await stage.run('planner -> builder');
    expect(failed.status).toBe('failed');
    const runs = stage.runsOf('builder');
    writeFileSync(join(stage.workingDir, 'fixed'), '');
    expect(await stage.resume(failed.runId)).toMatchObject({
      status: 'completed',
      steps: [{ output: 'plan' }, { output: 'built' }],
    });
    expect([stage.runsOf('planner'), stage.runsOf('builder') - runs]).toEqual([1, 1]);
  });

  it('two runs in one work tree are refused (O6)', async () => {
    stage.agent('planner', 'touch begun; sleep 300');
    const stop = new AbortController();
    const running = stage.run('planner', {}, { signal: stop.signal });
    while (!existsSync(join(stage.workingDir, 'begun'))) await sleep(10);
    await expect(stage.run('planner')).rejects.toThrow(/Another chain \(process \d+\) is at work in/);
    expect(await listRuns(stage.home)).toMatchObject([{ status: 'running' }]);
    stop.abort();
    await running;
  });

  it('a worktree of its own takes the work, and leaves the first one as it was (O6)', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        cwd: stage.workingDir,
        env: stage.env,
        encoding: 'utf8',
      });
    git('init', '-q');
    writeFileSync(join(stage.workingDir, 'file'), 'old');
    writeFileSync(join(stage.workingDir, '.git/hooks/post-checkout'), '#!/bin/sh\ntouch hooked\n', {
      mode: 0o755,
    });
    git('add', '.');
    git('commit', '-q', '-m', 'x');
    stage.agent('planner', 'printf new > file; ls');
    const report = await stage.run('planner', {}, { worktree: true });
    const { worktree } = await readRun(stage.home, report.runId);
    expect(report.steps[0]?.output).toBe('file');
    expect(readFileSync(join(stage.workingDir, 'file'), 'utf8')).toBe('old');
    expect(readFileSync(join(worktree?.path ?? '', 'file'), 'utf8')).toBe('new');
    expect(git('branch', '--list', 'turnout/*')).toContain(report.runId);
  });
});

describe('a looping agent', () => {
  it('is kept warm: a new session for each run, in one process (O6)', async () => {
    stage.chains({
      agents: { a: { systemPromptText: 'x' } },
      chains: {
        c: { steps: [{ agent: 'a', iterations: 3 }] },
        same: { steps: [{ agent: 'a', iterations: 3, fresh: false }] },
      },
    });
    const sessionsOf = () => {
      const ids = stage.events.flatMap((event) =>
        event.type === 'agent_event' && event.event.type === 'session' ? [event.event.sessionId] : [],
      );
      stage.events.length = 0;
      return new Set(ids).size;
    };
    await stage.run('c', { prompt: 'not yet: list files' });
    expect(sessionsOf()).toBe(3);
    await stage.run('same', { prompt: 'not yet: list files' });
    expect(sessionsOf()).toBe(1);
  });

  it('whose CLI has no long-lived mode is started for each run, and the chain says so (O6)', async () => {
    const cli = stage.program(
      'one-shot-only',
      `case "$*" in *--input-format*) exit 9;; esac; exec ${process.execPath} ${stage.configured().configFor('claude').cliPath} "$@"`,
    );
    stage.chains({
      agents: { a: { systemPromptText: 'x' } },
      chains: { c: { steps: [{ agent: 'a', iterations: 3 }] } },
    });
    const configFor = () => ({ ...stage.configured().configFor('claude'), cliPath: cli });
    const report = await stage.run('c', { prompt: 'list files', configFor }, { configFor });
    expect(report).toMatchObject({ status: 'completed', steps: [{ iterations: 1, reason: 'marker' }] });
    const told = stage.events.flatMap((event) =>
      event.type === 'agent_event' && event.event.type === 'notice' ? [event.event.message] : [],
    );
    expect(told.join()).toContain("can't be kept running here");
  });
});
