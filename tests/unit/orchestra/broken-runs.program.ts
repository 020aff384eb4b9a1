import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalWatcher } from '../../../src/orchestra/journal.js';
import type { RunSettings } from '../../../src/orchestra/run-chain.js';
import { listRuns } from '../../../src/orchestra/runs.js';
import type { ChainEvent } from '../../../src/orchestra/types.js';
import { ChainStage } from './chain-stage.js';

let stage: ChainStage;
beforeEach(() => {
  stage = new ChainStage();
});
afterEach(() => stage.close());

const marker = 'ORCHESTRA_COMPLETE';

/** Stops the run as soon as something happens. */
function stopAt(isTime: (event: ChainEvent) => boolean): Pick<RunSettings, 'signal' | 'tell'> {
  const stop = new AbortController();
  return {
    signal: stop.signal,
    tell: (event) => {
      stage.events.push(event);
      if (isTime(event)) stop.abort();
    },
  };
}

const isText = (event: ChainEvent) => event.type === 'agent_event' && event.event.type === 'text';

/** Leaves the journal as a kill at this point does. */
function killedAfter(point: Parameters<JournalWatcher>[0]): Pick<RunSettings, 'watch'> {
  return {
    watch: (passed) => {
      if (passed === point) throw new Error('killed');
    },
  };
}

async function onlyRun(): Promise<string> {
  const [run, another] = await listRuns(stage.home);
  if (run === undefined || another !== undefined) throw new Error('There is not one run.');
  return run.runId;
}

describe('a run that was stopped', () => {
  it('tells its agent to look at what is there, and keeps what was used (O6)', async () => {
    stage.agent('planner', 'echo begun; [ $RUN = 1 ] && sleep 300; echo done');
    const stopped = await stage.run('planner', {}, stopAt(isText));
    expect(stopped).toMatchObject({ status: 'interrupted', steps: [{ reason: 'interrupted' }] });
    expect(await stage.resume(stopped.runId)).toMatchObject({ status: 'completed' });
    expect(stage.promptOf('planner', 2)).toContain('An earlier run of this step was interrupted.');
  });

  it('and then killed before that was noted is begun again, and has not failed (O6)', async () => {
    stage.agent('planner', 'echo begun; [ $RUN = 1 ] && sleep 300; echo done');
    const stop = stopAt(isText);
    const killed = killedAfter('after iteration_ended');
    await expect(stage.run('planner', {}, { ...stop, ...killed })).rejects.toThrow('killed');
    expect(await stage.resume(await onlyRun())).toMatchObject({ status: 'completed' });
  });

  it('between a run and its check ends in order, and goes on with the check (O6)', async () => {
    stage.agent('planner', 'echo done');
    stage.chains({ chains: { c: { steps: [{ agent: 'planner', verify: 'touch checked' }] } } });
    const stopped = await stage.run(
      'c',
      {},
      stopAt(({ type }) => type === 'verify_start'),
    );
    expect(stopped.status).toBe('interrupted');
    expect(await stage.resume(stopped.runId)).toMatchObject({
      status: 'completed',
      steps: [{ verified: true }],
    });
    expect(stage.runsOf('planner')).toBe(1);
    expect(existsSync(join(stage.workingDir, 'checked'))).toBe(true);
  });

  it('with one conversation goes on in it; a conversation that is lost is begun anew, once (O6)', async () => {
    stage.chains({
      agents: { a: { systemPromptText: 'x' } },
      chains: { c: { steps: [{ agent: 'a', iterations: 4, fresh: false }] } },
    });
    const isSession = (event: ChainEvent) => event.type === 'agent_event' && event.event.type === 'session';
    const stop = stopAt((event) => isSession(event) && event.type === 'agent_event' && event.iteration === 2);
    const prompt = { prompt: 'not yet: list files' };
    const stopped = await stage.run('c', prompt, stop);
    const sessions = () =>
      new Set(
        stage.events.flatMap((event) =>
          event.type === 'agent_event' && event.event.type === 'session' ? [event.event.sessionId] : [],
        ),
      );
    expect(stopped.status).toBe('interrupted');
    expect(sessions().size).toBe(1);
    const again = await stage.resume(
      stopped.runId,
      stopAt((event) => event.type === 'iteration_end' && event.iteration === 2),
    );
    expect(again.status).toBe('interrupted');
    expect(sessions().size).toBe(1);
    rmSync(join(stage.home, 'demo-agent'), { recursive: true });
    expect(await stage.resume(stopped.runId)).toMatchObject({
      steps: [{ iterations: 4, reason: 'max_iterations' }],
    });
    expect(sessions().size).toBe(2);
    const usage = stage.events.findLast((event) => event.type === 'run_end')?.report.steps[0]?.usage;
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });
});

describe('a budget', () => {
  const budgeted = (budget: unknown) => ({
    chains: { c: { budget, steps: [{ agent: 'planner', iterations: 3 }] } },
  });

  it('that has ended a run is still the reason after a kill (O6)', async () => {
    stage.agent('planner', 'sleep 300');
    stage.chains(budgeted({ minutes: 0.05 }));
    await expect(stage.run('c', {}, killedAfter('after iteration_ended'))).rejects.toThrow('killed');
    expect(await stage.resume(await onlyRun())).toMatchObject({ steps: [{ reason: 'budget' }] });
    expect(stage.runsOf('planner')).toBe(1);
  });

  it('is a new one for a run that is resumed after its end (O6)', async () => {
    stage.agent('planner', `[ $RUN = 1 ] && sleep 300; echo ${marker}`);
    stage.chains(budgeted({ minutes: 0.05 }));
    const stopped = await stage.run('c');
    expect(stopped).toMatchObject({ status: 'incomplete', steps: [{ reason: 'budget' }] });
    expect(await stage.resume(stopped.runId)).toMatchObject({ status: 'completed' });
  });

  it('ends a check, too (O6)', async () => {
    stage.agent('planner', 'echo done');
    stage.chains({
      chains: { c: { steps: [{ agent: 'planner', verify: 'sleep 300', budget: { minutes: 0.05 } }] } },
    });
    expect(await stage.run('c')).toMatchObject({ steps: [{ reason: 'budget' }] });
  });
});

describe('a run whose end was noted only in part', () => {
  it('a step that had used up its runs gets none before the run has ended (O6)', async () => {
    stage.agent('planner', 'echo x');
    await expect(stage.run('planner:2', {}, killedAfter('after step_ended'))).rejects.toThrow('killed');
    const runId = await onlyRun();
    expect(await stage.resume(runId)).toMatchObject({
      status: 'incomplete',
      steps: [{ reason: 'max_iterations' }],
    });
    expect(stage.runsOf('planner')).toBe(2);
    // Now it has ended, and who resumes it wants more.
    await stage.resume(runId);
    expect(stage.runsOf('planner')).toBe(4);
  });
});

describe('the marker', () => {
  it('plays no part in a single run: what follows it counts (O7)', async () => {
    stage.agent('planner', `echo ${marker}; sleep 0.4; touch late; exit 0`);
    expect(await stage.run('planner', {}, { times: { markerGraceMs: 50 } })).toMatchObject({
      status: 'completed',
    });
    expect(existsSync(join(stage.workingDir, 'late'))).toBe(true);
    stage.agent('planner', `echo ${marker}; sleep 0.2; exit 1`);
    expect(await stage.run('planner', {}, { times: { markerGraceMs: 50 } })).toMatchObject({
      status: 'failed',
    });
  });

  it('ends a loop, even if the agent never falls silent (O7)', async () => {
    stage.agent('planner', `echo ${marker}; while :; do echo x; sleep 0.02; done`);
    const report = await stage.run('planner:2', {}, { times: { markerGraceMs: 50 } });
    expect(report).toMatchObject({ status: 'completed', steps: [{ reason: 'marker', iterations: 1 }] });
  });

  it('with a nonce is told to a program by a variable (O7)', async () => {
    stage.agent('planner', 'echo "$TURNOUT_MARKER"');
    expect(await stage.run('planner:2', { nonce: true })).toMatchObject({ steps: [{ reason: 'marker' }] });
    expect(stage.events).toContainEqual({
      type: 'warning',
      message: expect.stringContaining('its variable TURNOUT_MARKER'),
    });
  });
});

describe('a step', () => {
  it('that tells nothing is given up (O6)', async () => {
    const cli = stage.program('silent', 'cat > /dev/null; sleep 300');
    stage.chains({
      agents: { a: { systemPromptText: 'x' } },
      chains: { c: { steps: [{ agent: 'a', retry: 0 }] } },
    });
    const configFor = () => ({ ...stage.configured().configFor('claude'), cliPath: cli });
    const report = await stage.run('c', { configFor }, { configFor, times: { silenceMs: 300 } });
    expect(report).toMatchObject({ status: 'failed', steps: [{ error: { code: 'timeout' } }] });
  });

  it('that is tried again is told what its first attempt was told (O6)', async () => {
    stage.agent('planner', `[ $RUN = 2 ] && exit 1; [ $RUN = 3 ] && touch ok; echo ${marker}`);
    stage.chains({
      chains: { c: { steps: [{ agent: 'planner', iterations: 3, retry: 1, verify: 'test -e ok' }] } },
    });
    expect(await stage.run('c')).toMatchObject({ status: 'completed', steps: [{ iterations: 2 }] });
    expect(stage.promptOf('planner', 3)).toBe(stage.promptOf('planner', 2));
    expect(stage.promptOf('planner', 3)).toContain('the check `test -e ok` failed');
  });

  it('gives its CLI the arguments with the variables put in (O6)', async () => {
    const cli = stage.program('listing', 'printf "%s\\n" "$@" > args; exit 1');
    stage.chains({
      agents: { a: { systemPromptText: 'x' } },
      chains: { c: { steps: [{ agent: 'a', retry: 0, args: ['--add-dir', '${DIR}'] }] } },
    });
    const configFor = () => ({ ...stage.configured().configFor('claude'), cliPath: cli });
    await stage.run('c', { configFor, variables: new Map([['DIR', '/some where']]) }, { configFor });
    expect(readFileSync(join(stage.workingDir, 'args'), 'utf8')).toContain('--add-dir\n/some where\n');
  });

  it('makes no verdict on its progress where changes can’t be seen, and says so (O6)', async () => {
    stage.agent('planner', 'echo same');
    stage.chains({ chains: { c: { steps: [{ agent: 'planner', iterations: 4, noProgress: 2 }] } } });
    expect(await stage.run('c')).toMatchObject({ steps: [{ iterations: 4, reason: 'max_iterations' }] });
    const warnings = stage.events.filter(({ type }) => type === 'warning');
    expect(warnings).toMatchObject([{ message: expect.stringContaining('noProgress has no effect here') }]);
  });
});

describe('a work tree', () => {
  it('of git has one run, whatever the home is (O6)', async () => {
    execFileSync('git', ['init', '-q'], { cwd: stage.workingDir, env: stage.env });
    stage.agent('planner', 'touch begun; sleep 300');
    const stop = new AbortController();
    const running = stage.run('planner', {}, { signal: stop.signal });
    while (!existsSync(join(stage.workingDir, 'begun'))) await sleep(10);
    const elsewhere = stage.run('planner', {}, { home: stage.path('other-home') });
    await expect(elsewhere).rejects.toThrow(/Another chain \(process \d+\) is at work in/);
    stop.abort();
    await running;
  });
});

describe('a run that is resumed', () => {
  it('runs an iteration again that was stopped behind a failed check, with both remarks (O6)', async () => {
    // It is stopped as soon as it has said something.
    const second = '[ $RUN = 2 ]';
    stage.agent('planner', `${second} && touch ok; echo "run $RUN"; ${second} && sleep 300; echo ${marker}`);
    stage.chains({ chains: { c: { steps: [{ agent: 'planner', iterations: 4, verify: 'test -e ok' }] } } });
    const stopped = await stage.run(
      'c',
      {},
      stopAt((event) => isText(event) && stage.runsOf('planner') === 2),
    );
    expect(stopped).toMatchObject({ status: 'interrupted', steps: [{ iterations: 1, output: 'run 1' }] });
    const resumed = await stage.resume(stopped.runId);
    expect(resumed).toMatchObject({
      status: 'completed',
      steps: [{ iterations: 2, output: 'run 3', verified: true }],
    });
    expect(stage.promptOf('planner', 3)).toContain('the check `test -e ok` failed');
    expect(stage.promptOf('planner', 3)).toContain('An earlier run of this step was interrupted.');
  });

  it('tells a further attempt what the failed one was told in another process (O6)', async () => {
    stage.agent('planner', `[ $RUN = 2 ] && exit 7; [ $RUN = 3 ] && touch ok; echo ${marker}`);
    stage.chains({
      chains: { c: { steps: [{ agent: 'planner', iterations: 4, retry: 2, verify: 'test -e ok' }] } },
    });
    const failed = (event: ChainEvent) => event.type === 'iteration_end' && event.error !== undefined;
    const stopped = await stage.run('c', {}, { ...stopAt(failed), times: { firstRetryMs: 10_000 } });
    expect(stopped.status).toBe('interrupted');
    expect(await stage.resume(stopped.runId)).toMatchObject({ status: 'completed' });
    expect(stage.promptOf('planner', 3)).toBe(stage.promptOf('planner', 2));
  });

  it('does not renew the chain’s budget because a step’s own was used up (O6)', async () => {
    stage.chains({
      agents: { a: { systemPromptText: 'x' } },
      chains: {
        c: { budget: { tokens: 900 }, steps: [{ agent: 'a', iterations: 9, budget: { tokens: 100 } }] },
      },
    });
    let report = await stage.run('c', { prompt: 'not yet: list files' });
    const reached: string[] = [];
    for (let i = 0; i < 4; i++) {
      reached.push(report.steps[0]?.error?.message ?? '');
      report = await stage.resume(report.runId);
    }
    // A run takes some 300 tokens: the chain's limit is reached in the third or fourth one, and named then.
    expect(reached[0]).toContain('(100)');
    expect(reached.join()).toContain('(900)');
  });

  it('goes on in its conversation after its runs were used up (O6)', async () => {
    stage.chains({
      agents: { a: { systemPromptText: 'x' } },
      chains: { c: { steps: [{ agent: 'a', iterations: 2, fresh: false }] } },
    });
    const first = await stage.run('c', { prompt: 'not yet: list files' });
    const second = await stage.resume(first.runId);
    expect(second.steps[0]).toMatchObject({ reason: 'max_iterations', iterations: 4 });
    expect(second.steps[0]?.sessionId).toBe(first.steps[0]?.sessionId);
  });

  it('tells a worktree’s run by the directory that it was started for (O6)', async () => {
    const git = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
    execFileSync('git', ['init', '-q'], { cwd: stage.workingDir, env: stage.env });
    const commit = [...git, 'commit', '-q', '--allow-empty', '-m', 'x'];
    execFileSync('git', commit, { cwd: stage.workingDir, env: stage.env });
    stage.agent('planner', 'pwd');
    const { steps } = await stage.run('planner', {}, { worktree: true });
    expect(steps[0]?.output).toContain('worktrees');
    expect(await listRuns(stage.home)).toMatchObject([{ cwd: stage.workingDir }]);
  });
});
