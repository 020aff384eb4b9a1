import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { journalFile, readJournal } from '../../../src/orchestra/journal.js';
import { runDirectory } from '../../../src/orchestra/runs.js';
import type { RunReport } from '../../../src/orchestra/types.js';
import { compiledProgram } from '../../compile-programs.js';
import { demoAgent } from '../cli/turnout.js';
import { ChainStage } from './chain-stage.js';

const program = compiledProgram(new URL('programs/mortal-chain.ts', import.meta.url).pathname);

/** Every entry of the journal, and how often it is written in the chain below. */
const points = [
  ['run', 1],
  ['step_begun', 3],
  ['iteration_begun', 4],
  ['session', 1],
  ['iteration_ended', 4],
  ['verified', 2],
  ['step_ended', 3],
  ['run_ended', 1],
] as const;

describe.runIf(process.platform === 'linux')('a chain that is killed', () => {
  let stage: ChainStage;
  beforeEach(() => {
    stage = new ChainStage();
    stage.chains({
      agents: { writer: { systemPromptText: 'You write.' } },
      chains: {
        c: {
          steps: [
            { agent: 'worker', iterations: 6, verify: 'test "$(grep -c . done)" -ge 2' },
            { agent: 'writer', prompt: 'say the work is ${worker.output}' },
            { agent: 'worker', name: 'last' },
          ],
        },
      },
    });
    // The state of the work is in the work tree, as with real agents: a run that is repeated finds what it did before.
    stage.agent(
      'worker',
      'n=$(grep -c . done 2>/dev/null); n=${n:-0}; [ "$n" -lt 2 ] && echo x >> done; echo "done $(grep -c . done)"; echo ORCHESTRA_COMPLETE',
    );
  });
  afterEach(() => stage.close());

  const moments = points.flatMap(([type, times]) =>
    (['before', 'after'] as const).flatMap((when) =>
      (times > 1 ? [1, times] : [1]).map((passing) => [`${when} ${type}`, passing] as const),
    ),
  );

  it.each(moments)(
    '%s (passing %i) resumes to the same result; no run is repeated that had settled (O6)',
    async (point, passing) => {
      const first = await live({ DIE_AT: point, DIE_PASSING: String(passing) });
      expect(first.signal).toBe('SIGKILL');
      const second = await live({});
      expect(second.report).toMatchObject({
        status: 'completed',
        steps: [
          { agent: 'worker', status: 'done', reason: 'marker', output: 'done 2', verified: true },
          { agent: 'writer', status: 'done', reason: 'single_run' },
          { agent: 'worker', status: 'done', reason: 'single_run', output: 'done 2' },
        ],
      });
      expect(second.report?.steps[1]?.output).toContain('done 2');
      const { entries } = readJournal(journalFile(runDirectory(stage.home, second.report?.runId ?? '')));
      const settled = entries.flatMap((entry) =>
        entry.type === 'iteration_ended' ? [`${entry.step}.${entry.iteration}.${entry.attempt}`] : [],
      );
      expect(settled, 'runs that were settled twice').toEqual([...new Set(settled)]);
      expect(stage.processes()).toEqual([]);
      expect(readFileSync(join(stage.workingDir, 'done'), 'utf8')).toBe('x\nx\n');
    },
  );

  function live(
    env: Record<string, string>,
  ): Promise<{ report: RunReport | undefined; signal: string | null }> {
    const { PATH } = stage.configured().configFor('claude').env ?? {};
    const child = spawn(process.execPath, [program], {
      cwd: stage.workingDir,
      env: { ...stage.env, PATH, CHAIN: 'c', CLI: demoAgent, TURNOUT_DEMO_SPEED: '0', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    return new Promise((resolve) => {
      child.once('close', (_code, signal) =>
        resolve({ report: printed === '' ? undefined : JSON.parse(printed), signal }),
      );
    });
  }
});
