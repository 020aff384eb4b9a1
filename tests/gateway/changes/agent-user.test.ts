import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { agentRoot } from '../../../src/backends/launch/scratch-files.js';
import { agentUser } from '../../unit/process/agent-user.js';
import { type ChangesStage, listed, revert, setUpChanges, userGit } from './stage.js';

function setUp(test: TestContext) {
  const user = agentUser(test);
  const stage = setUpChanges({}, user);
  chmodSync(dirname(stage.work), 0o711);
  chmodSync(stage.home, 0o700);
  chownSync(stage.work, user.uid, user.gid);
  return { stage, user };
}

/** What this process has for runs of that user. */
const scratchOfOurs = () => readdirSync(agentRoot()).filter((name) => name.startsWith(`run-${process.pid}.`));

const keptContents = (stage: ChangesStage) => {
  const { directory } = stage.snapshots.shadow(stage.work);
  const all = ['cat-file', '--batch-all-objects', '--batch'];
  return userGit('/', `--git-dir=${directory}`, ...all);
};

describe('snapshots for AGENT_USER', () => {
  it('hold what that user can read, and nothing else (27.11)', async (test) => {
    const { stage, user } = setUp(test);
    stage.write('.env', 'PASSWORD=1\n', 0o600);
    stage.write('open.txt', 'open\n', 0o644);
    chownSync(join(stage.work, 'open.txt'), user.uid, user.gid);
    stage.write('closed/in.txt', 'PASSWORD=2\n', 0o644);
    chmodSync(join(stage.work, 'closed'), 0o700);
    userGit(stage.work, 'init', '-q');
    stage.write('.git/hooks/post-commit', 'PASSWORD=3\n', 0o700);
    await stage.turn(() => {
      stage.write('open.txt', 'opened\n');
      stage.write('.env', 'PASSWORD=4\n');
      stage.write('new.txt', 'new\n', 0o644);
      stage.write('roots.txt', 'PASSWORD=5\n', 0o600);
    });
    expect(await listed(stage)).toEqual(['added new.txt', 'modified open.txt']);
    stage.write('later/in.txt', 'open so far\n', 0o644);
    await stage.turn(() => undefined);
    chmodSync(join(stage.work, 'later'), 0o700);
    stage.write('later/in.txt', 'PASSWORD=6\n');
    await stage.turn(() => stage.write('new.txt', 'newer\n'));
    expect(await listed(stage)).toEqual(['modified new.txt']);
    expect(stage.log).toEqual([]);
    const kept = keptContents(stage);
    expect(kept).toContain('opened');
    expect(kept).not.toContain('PASSWORD');
    await revert(stage, 'open.txt', 'conversation');
    expect(readFileSync(join(stage.work, 'open.txt'), 'utf8')).toBe('open\n');
  });

  it('go on with all that git does: many files, old ones, ignored ones, a repository around (27.11)', async (test) => {
    const { stage } = setUp(test);
    // Of files that were written just now we read 500 ourselves, and git reads the others: some have the same content.
    const many = Array.from({ length: 600 }, (_, nth) => nth);
    for (const nth of many) stage.write(`many/${nth}.txt`, `${nth % 500}\n`, 0o644);
    stage.write('.gitignore', 'ignored\n', 0o644);
    await stage.turn(() => {
      stage.write('many/7.txt', 'seven\n');
      stage.write('ignored', 'ignored\n', 0o644);
      unlinkSync(join(stage.work, 'many/8.txt'));
    });
    expect(stage.log).toEqual([]);
    expect(await listed(stage)).toEqual(['modified many/7.txt', 'deleted many/8.txt']);
    // What our own git makes there, that of the user can add to, and the other way round.
    const shadow = stage.snapshots.shadow(stage.work);
    await shadow.git(['repack', '-a', '-d', '-k', '-q'], { index: shadow.indexFor(stage.work) });
    await stage.turn(() => {
      for (const nth of many) stage.write(`many/${nth}.txt`, `once more ${nth % 500}\n`);
      stage.write('nested/.git/HEAD', 'ref: refs/heads/main\n', 0o644);
      stage.write('nested/a.txt', 'a\n', 0o644);
    });
    expect(await listed(stage)).toHaveLength(601);
    expect(stage.log).toEqual([]);
  });

  it('of a folder in a repository obey the rules above it (27.11)', async (test) => {
    const { stage, user } = setUp(test);
    userGit(dirname(stage.work), 'init', '-q');
    stage.write('../.gitignore', 'hidden\n', 0o644);
    chownSync(dirname(stage.work), user.uid, user.gid);
    await stage.turn(() => {
      stage.write('hidden', 'hidden\n', 0o644);
      stage.write('a.txt', 'a\n', 0o644);
    });
    expect(stage.log).toEqual([]);
    expect(await listed(stage)).toEqual(['added a.txt']);
  });

  it('are closed to that user, and leave nothing behind (27.11)', async (test) => {
    const { stage } = setUp(test);
    await stage.turn(() => stage.write('a.txt', 'a\n', 0o644));
    const { directory } = stage.snapshots.shadow(stage.work);
    expect(statSync(directory).mode & 0o007).toBe(0);
    const scratch = scratchOfOurs();
    expect(scratch).not.toEqual([]);
    await stage.snapshots.close();
    expect(scratchOfOurs()).toEqual([]);
  });
});

describe.each(['for AGENT_USER', 'of our own user'])('snapshots %s', (whose) => {
  it('obey no repository and no ignore file of somebody else above the work tree (27.11)', async (test) => {
    const { stage, user } = setUp(test);
    const own = whose === 'for AGENT_USER' ? stage : setUpChanges();
    const shared = dirname(own.work);
    const other = user.uid - 1;
    chmodSync(shared, 0o1777);
    mkdirSync(join(shared, '.git'));
    own.write('../.gitignore', '*\n', 0o644);
    for (const name of ['.git', '.gitignore']) chownSync(join(shared, name), other, other);
    own.write('sub/a.txt', 'a\n', 0o644);
    await own.turn(() => own.write('backdoor.sh', 'x\n', 0o644));
    expect(await listed(own)).toEqual(['added backdoor.sh']);
    // The repository is one that counts; that ignore file in it does not.
    chownSync(join(shared, '.git'), 0, 0);
    await own.turn(() => undefined);
    await own.turn(() => own.write('another.sh', 'x\n', 0o644));
    expect(await listed(own)).toEqual(['added another.sh']);
    chownSync(join(shared, '.gitignore'), 0, 0);
    await own.turn(() => own.write('ignored.sh', 'x\n', 0o644));
    expect(await listed(own)).toEqual([]);
    expect(own.log).toEqual([]);
  });
});
