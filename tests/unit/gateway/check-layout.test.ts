import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layoutProblems } from '../../../src/gateway/check-layout.js';
import { loadConfig } from '../../../src/gateway/config.js';

const nobody = 65_534;
const isRoot = process.getuid?.() === 0 && existsSync('/usr/bin/setpriv');

let root: string;
let work: string;
let home: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'turnout-layout-'));
  chmodSync(root, 0o755);
  work = join(root, 'work');
  home = join(work, '.turnout');
  mkdirSync(work, { mode: 0o755 });
  mkdirSync(home, { mode: 0o700 });
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const problems = (settings: Record<string, string> = {}) =>
  layoutProblems(
    loadConfig({ HOME: root, WORKING_DIR: work, TURNOUT_HOME: home, CONFIG_DIR: root, ...settings }),
    work,
    'WORKING_DIR',
  );

describe('a home inside the working directory', () => {
  it('is refused where agents run as the gateway’s user, in one line with what to set', async () => {
    const [problem, ...others] = await problems();
    expect(others).toEqual([]);
    expect(problem).toBe(
      `TURNOUT_HOME (${home}) lies in WORKING_DIR (${work}), where agents may write: they could choose what the next start runs. Set WORKING_DIR to another directory, or AGENT_USER to a user who can't change TURNOUT_HOME, or ALLOW_STATE_IN_WORKING_DIR=1.`,
    );
    expect(await problems({ ALLOW_STATE_IN_WORKING_DIR: '1' })).toEqual([]);
  });

  it('is named once, with all that lies in it (R9.3)', async () => {
    expect(await problems({ CONFIG_DIR: join(home, 'config') })).toEqual([
      expect.stringMatching(/^TURNOUT_HOME /),
    ]);
    expect(await problems({ CONFIG_DIR: join(work, 'config') })).toEqual([
      expect.stringMatching(/^TURNOUT_HOME /),
      expect.stringMatching(/^CONFIG_DIR /),
    ]);
  });

  describe.skipIf(!isRoot)('with AGENT_USER', () => {
    const asNobody = () => problems({ AGENT_USER: 'nobody' });

    it('is safe where that user may write nowhere on the way to it', async () => {
      expect(await asNobody()).toEqual([]);
      // A place for the agents inside of it changes nothing.
      mkdirSync(join(work, 'project'));
      chownSync(join(work, 'project'), nobody, nobody);
      expect(await asNobody()).toEqual([]);
    });

    it('is safe in a directory that everybody writes to, if only owners can rename there', async () => {
      chmodSync(work, 0o1777);
      expect(await asNobody()).toEqual([]);
      chmodSync(work, 0o777);
      expect(await asNobody()).toEqual([
        `TURNOUT_HOME (${home}) lies in WORKING_DIR (${work}), and AGENT_USER=nobody could change or replace it: ${work} is open to this user. Set WORKING_DIR to another directory, or ALLOW_STATE_IN_WORKING_DIR=1.`,
      ]);
    });

    it('is not safe where that user owns a directory on the way, whatever its mode', async () => {
      chownSync(work, nobody, nobody);
      for (const mode of [0o1777, 0o755, 0o555]) {
        chmodSync(work, mode);
        expect(await asNobody(), mode.toString(8)).toEqual([expect.stringContaining(`: ${work} is open to`)]);
      }
      chownSync(work, 0, 0);
      chownSync(root, nobody, nobody);
      expect(await asNobody()).toEqual([expect.stringContaining(`: ${root} is open to`)]);
    });

    it('is not safe if that user can write to it, or look into it', async () => {
      chmodSync(home, 0o711);
      expect(await asNobody()).toEqual([expect.stringContaining(`can look into it: chmod 700 ${home}`)]);
      chmodSync(home, 0o702);
      expect(await asNobody()).toEqual([expect.stringContaining(`: ${home} is open to this user`)]);
      chmodSync(home, 0o700);
      chownSync(home, nobody, nobody);
      expect(await asNobody()).toEqual([expect.stringContaining(`: ${home} is open to this user`)]);
    });

    it('is not safe behind a link that the user can replace', async () => {
      const real = join(root, 'real');
      mkdirSync(real, { mode: 0o700 });
      rmSync(home, { recursive: true });
      symlinkSync(real, home);
      chmodSync(work, 0o1777);
      expect(await asNobody()).toEqual([expect.stringContaining(`: ${work} is open to this user`)]);
      chmodSync(work, 0o755);
      expect(await asNobody()).toEqual([]);
    });

    it('nor is a CLI that the user could write: one that only its owner writes is', async () => {
      const cli = join(work, 'cli');
      writeFileSync(cli, '#!/bin/sh\n', { mode: 0o755 });
      const check = () => problems({ AGENT_USER: 'nobody', BACKEND_CLI_PATH: cli });
      expect(await check()).toEqual([]);
      chmodSync(cli, 0o777);
      expect(await check()).toEqual([expect.stringMatching(/^BACKEND_CLI_PATH .*cli is open to this user/)]);
    });
  });
});
