import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TurnoutError } from '../../../src/core/errors.js';
import { Journal, journalFile, readJournal } from '../../../src/orchestra/journal.js';
import { listRuns, readRun, runDirectory } from '../../../src/orchestra/runs.js';
import { canMount, fillDisk, mountDisk } from '../../gateway/small-disk.js';
import { ChainStage } from './chain-stage.js';

let stage: ChainStage;
beforeEach(() => {
  stage = new ChainStage();
});
afterEach(() => stage.close());

describe('the journal of a run (O6)', () => {
  async function someRun(): Promise<{ directory: string; runId: string }> {
    stage.agent('planner', 'echo x');
    const { runId } = await stage.run('planner:2');
    return { directory: runDirectory(stage.home, runId), runId };
  }

  it('a line that was being written when its process died does not count, and is cut off', async () => {
    const { directory } = await someRun();
    const before = readFileSync(journalFile(directory), 'utf8');
    appendFileSync(journalFile(directory), '{"type":"iteration_be');
    expect(readJournal(journalFile(directory)).wholeBytes).toBe(Buffer.byteLength(before));
    const { journal } = Journal.reopen(directory);
    journal.append({ type: 'resumed' });
    journal.close();
    const after = readFileSync(journalFile(directory), 'utf8');
    expect(after.startsWith(before)).toBe(true);
    expect(after.slice(before.length)).toMatch(/^\{"at":"[^"]+","ms":\d+,"type":"resumed"\}\n$/);
  });

  it('one that is damaged is told by its line, and hides no other run', async () => {
    const { directory, runId } = await someRun();
    const lines = readFileSync(journalFile(directory), 'utf8').split('\n');
    lines[2] = 'garbage';
    writeFileSync(journalFile(directory), lines.join('\n'));
    await expect(stage.resume(runId)).rejects.toThrow('is damaged in line 3');
    mkdirSync(runDirectory(stage.home, 'empty'), { recursive: true });
    writeFileSync(journalFile(runDirectory(stage.home, 'empty')), '');
    const broken = {
      'no-run': '{"at":"x","type":"resumed"}\n',
      newer: '{"at":"x","type":"run","version":2}\n',
      shape: '{"type":"run","version":1}\n',
    };
    for (const [name, content] of Object.entries(broken)) {
      mkdirSync(runDirectory(stage.home, name), { recursive: true });
      writeFileSync(journalFile(runDirectory(stage.home, name)), content);
      await expect(readRun(stage.home, name)).rejects.toThrow(TurnoutError);
    }
    mkdirSync(runDirectory(stage.home, 'fifo'), { recursive: true });
    execFileSync('mkfifo', [journalFile(runDirectory(stage.home, 'fifo'))]);
    const other = await someRun();
    const warnings: string[] = [];
    const listed = await listRuns(stage.home, (warning) => warnings.push(warning));
    expect(listed.map((run) => run.runId)).toEqual([other.runId, runId]);
    expect(warnings).toHaveLength(5);
  });

  it.runIf(canMount)('on a full disk nothing new is begun; with room again the run goes on', async () => {
    const unmount = mountDisk(stage.home, 2);
    try {
      let makeRoom = () => {};
      // More than the rest of the journal's last page.
      const answer = 'head -c 8000 /dev/zero | tr "\\0" x; echo';
      stage.agent('planner', `${answer}; [ $RUN -ge 3 ] && echo ORCHESTRA_COMPLETE; exit 0`);
      const tell = ({ type }: { type: string }) => {
        if (type === 'iteration_end') makeRoom = fillDisk(stage.home);
      };
      await expect(stage.run('planner:5', {}, { tell })).rejects.toThrow("can't be written: ENOSPC");
      expect(stage.runsOf('planner')).toBe(3);
      makeRoom();
      const [run] = await listRuns(stage.home);
      expect(run).toMatchObject({ status: 'interrupted' });
      // The ends of the runs were noted without what they said: none of them is made again.
      const resumed = await stage.resume(run?.runId ?? '');
      expect(resumed).toMatchObject({ status: 'completed', steps: [{ iterations: 3, reason: 'marker' }] });
      expect(stage.runsOf('planner')).toBe(3);
    } finally {
      unmount();
    }
  });
});
