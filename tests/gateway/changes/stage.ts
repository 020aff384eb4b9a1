import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createLog } from '../../../src/config/log.js';
import { type SnapshotParts, Snapshots } from '../../../src/gateway/changes/snapshots.js';
import { TreeChanges } from '../../../src/gateway/changes/work-tree-changes.js';
import type { ProcessUser } from '../../../src/process/process-user.js';
import type { ChangingTurn, StoredTurn } from '../../../src/store/rows.js';
import { patience } from '../../machine-speed.js';
import { filesOf } from '../../unit/process/agent-user.js';

export interface ChangesStage {
  readonly home: string;
  readonly work: string;
  readonly log: readonly Record<string, unknown>[];
  readonly snapshots: Snapshots;
  readonly changes: TreeChanges;
  /** The turns that the store has. */
  readonly turns: ChangingTurn[];
  /** The turns that run, by the store. */
  readonly running: Pick<StoredTurn, 'channel' | 'setup'>[];
  write(path: string, content: string | Buffer, mode?: number): void;
  /** Runs a turn that does this in the work tree. */
  turn(act: () => void): Promise<void>;
}

/** A work tree and snapshots of it, without a gateway: a turn is whatever the test does. */
export function setUpChanges(parts: Partial<SnapshotParts> = {}, user?: ProcessUser): ChangesStage {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-changes-')));
  const home = join(root, 'home');
  const work = join(root, 'work');
  for (const directory of [home, work]) mkdirSync(directory);
  const log: Record<string, unknown>[] = [];
  const turns: ChangingTurn[] = [];
  const workTrees = filesOf(home, user);
  const snapshots = new Snapshots({
    ...{ home, enabled: true, path: process.env['PATH'], homes: [], workTrees },
    log: createLog('debug', (line) => log.push(JSON.parse(line))),
    now: Date.now,
    waitMs: patience.timeout,
    ...parts,
  });
  const store = {
    changingTurns: async (_channel: string, limit: number) => turns.slice(-limit),
    running: async () => stage.running as StoredTurn[],
  };
  onTestFinished(async () => {
    await snapshots.close();
    rmSync(root, { recursive: true, force: true });
  });
  const stage: ChangesStage = {
    ...{ home, work, log, snapshots, turns, running: [] },
    changes: new TreeChanges({ store, snapshots }),
    write(path, content, mode) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), content);
      if (mode !== undefined) chmodSync(join(work, path), mode);
    },
    async turn(act) {
      const trees = snapshots.begin(work);
      await trees.wait();
      act();
      const changes = await trees.end();
      turns.push({ turnId: `t${turns.length}`, cwd: work, usedTools: true, changes });
    },
  };
  return stage;
}

export const listed = async (stage: ChangesStage, scope: 'turn' | 'conversation' = 'turn') =>
  (await stage.changes.list('c', scope)).files.map(({ status, path }) => `${status} ${path}`);
export const revert = (
  stage: ChangesStage,
  path: string,
  scope: 'turn' | 'conversation' = 'turn',
  force = false,
) => stage.changes.revert('c', { scope, path, force });

/** Runs git as a user does, with settings of its own only. */
export function userGit(cwd: string, ...args: string[]): string {
  const identity = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b.c',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b.c',
  };
  const env = {
    PATH: process.env['PATH'],
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    ...identity,
  };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
}
