import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { childEnvironment, ownSecrets } from '../../../../src/backends/launch/child-environment.js';
import {
  agentRoot,
  removeScratchFiles,
  scratchDirectory,
  sweepScratchFiles,
  writeScratchFiles,
} from '../../../../src/backends/launch/scratch-files.js';
import { RecentSessions } from '../../../../src/backends/recent-sessions.js';
import { it } from '../../../contract/stage.js';

const nobody = 65_534;
const user = { name: 'nobody', uid: nobody, gid: nobody, home: '/nonexistent' };
const isRoot = process.getuid?.() === 0 && existsSync('/usr/bin/setpriv');

describe('temporary files', () => {
  it('belong to their owner alone, and are written once', async ({ stage }) => {
    const directory = scratchDirectory(stage.env);
    const path = join(directory, 'a.md');
    await writeScratchFiles(directory, [{ path, content: 'x' }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readFileSync(path, 'utf8')).toBe('x');
    await expect(writeScratchFiles(directory, [{ path, content: 'y' }])).rejects.toMatchObject({
      code: 'crashed',
    });
    await removeScratchFiles(directory);
    await removeScratchFiles(directory);
  });

  it('of a Turnout that was killed are swept, those of a living one stay', async ({ stage }) => {
    const mine = scratchDirectory(stage.env);
    const gone = join(dirname(mine), 'run-4194304999.1-0011223344556677');
    const other = join(dirname(mine), 'something-else');
    for (const directory of [mine, gone, other]) {
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'file'), '');
    }
    expect(await sweepScratchFiles(stage.env)).toBe(1);
    expect([mine, gone, other].map((directory) => existsSync(directory))).toEqual([true, false, true]);
    for (const directory of [mine, other]) await removeScratchFiles(directory);
  });

  it.skipIf(!isRoot)(
    'of the agents’ user are swept with the rights of their owner, whoever runs the agents now [fault 13.9: kill -9 before a directory is handed over]',
    async ({ stage }) => {
      vi.stubEnv('TMPDIR', stage.directory);
      onTestFinished(() => {
        vi.unstubAllEnvs();
      });
      chmodSync(stage.directory, 0o711);
      const root = agentRoot();
      const dead = (name: string, uid: number) => {
        const directory = join(root, `run-4194304999.1-${name}`);
        mkdirSync(directory, { mode: 0o700 });
        writeFileSync(join(directory, 'file'), '');
        for (const path of [join(directory, 'file'), directory]) chownSync(path, uid, uid);
        return directory;
      };
      // The second user is not in the system's list any more; it has put a link to another place into its directory.
      const gone = [dead('00', 0), dead('01', nobody), dead('02', 54_321)];
      mkdirSync(stage.path('elsewhere'));
      const elsewhere = stage.write('elsewhere/file', '');
      symlinkSync(dirname(elsewhere), join(gone[2] ?? '', 'link'));
      const mine = scratchDirectory(stage.env, user);
      await writeScratchFiles(mine, [{ path: join(mine, 'a.md'), content: 'x' }], user);
      expect(await sweepScratchFiles(stage.env)).toBe(3);
      expect(gone.map((directory) => existsSync(directory))).toEqual([false, false, false]);
      expect([elsewhere, mine].map((path) => existsSync(path))).toEqual([true, true]);
      await removeScratchFiles(mine);
      expect(existsSync(mine)).toBe(false);
    },
  );

  it('go to no directory that somebody else has made [fault 13.9: scratch directory of another user]', async ({
    stage,
  }) => {
    vi.stubEnv('TMPDIR', stage.directory);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const uid = process.geteuid?.() ?? 0;
    const shared = stage.path(`turnout-${uid}`);
    const unusable = { TURNOUT_HOME: join(stage.write('a-file', ''), 'below') };
    const root = () => dirname(scratchDirectory(unusable));
    // Nobody has been there: the usual name. Then a link, a directory that all can write, and one of another user.
    expect(root()).toBe(shared);
    rmSync(shared, { recursive: true, force: true });
    mkdirSync(stage.path('elsewhere'), { mode: 0o700 });
    symlinkSync(stage.path('elsewhere'), shared);
    const fresh = root();
    expect(fresh).not.toBe(shared);
    expect(statSync(fresh).mode & 0o777).toBe(0o700);
    rmSync(shared);
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    expect(root()).toBe(fresh);
    if (uid !== 0) return;
    chmodSync(shared, 0o700);
    chownSync(shared, 65_534, 65_534);
    expect(root()).toBe(fresh);
    // The same holds in the home.
    mkdirSync(join(stage.home, 'tmp'), { recursive: true });
    chownSync(join(stage.home, 'tmp'), 65_534, 65_534);
    expect(dirname(scratchDirectory(stage.env))).toBe(fresh);
  });

  it('that can not be written say where', async ({ stage }) => {
    const directory = join(stage.write('a-file', ''), 'below');
    await expect(writeScratchFiles(directory, [])).rejects.toThrow(directory);
  });
});

describe('the environment of a child', () => {
  it('is what is inherited less our own secrets, with the additions on top', () => {
    const inherited = {
      A: '1',
      B: '2',
      C: undefined,
      DISCORD_BOT_TOKEN: 'x',
      HTTP_TOKEN: 'x',
      DATABASE_URL: 'x',
    };
    expect(childEnvironment(inherited, { B: '3', A: undefined }, undefined, { D: '4' })).toEqual({
      B: '3',
      D: '4',
    });
    expect(ownSecrets).toEqual(expect.arrayContaining(['DISCORD_BOT_TOKEN', 'HTTP_TOKEN', 'DATABASE_URL']));
  });
});

describe('what is known of recent sessions', () => {
  it('is bounded, and the oldest goes first', () => {
    const sessions = new RecentSessions<number>(2);
    sessions.set('a', 1);
    sessions.set('b', 2);
    sessions.set('a', 3);
    sessions.set('c', 4);
    expect(['a', 'b', 'c', undefined].map((id) => sessions.get(id))).toEqual([3, undefined, 4, undefined]);
  });
});
