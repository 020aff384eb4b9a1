import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, type TestContext } from 'vitest';
import { findUser, type ProcessUser } from '../../../src/process/process-user.js';
import { WorkTreeFiles } from '../../../src/process/work-tree-files.js';

export const reader = fileURLToPath(new URL('../../../dist/process/work-tree/reader.js', import.meta.url));

/** The user that agents run as in tests. Without the rights to start programs as another one, the test is skipped. */
export function agentUser(test: TestContext): ProcessUser {
  const found = findUser('nobody');
  if (process.geteuid?.() !== 0 || !('user' in found) || found.user === undefined)
    return test.skip('only root can run programs as another user, and there must be one');
  return found.user;
}

/** A work tree of that user's, beside which there is a directory that is closed to it. */
export function workTree(user?: ProcessUser) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-tree-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o711);
  const [work, home] = [join(root, 'work'), join(root, 'home')];
  mkdirSync(work);
  mkdirSync(home, { mode: 0o700 });
  if (user !== undefined) chownSync(work, user.uid, user.gid);
  return { root, work, home };
}

export function filesOf(
  home: string,
  user?: ProcessUser,
  more: { program?: string; timeoutMs?: number } = {},
) {
  const files = new WorkTreeFiles({ user, home, program: reader, ...more });
  onTestFinished(() => files.close());
  return files;
}
