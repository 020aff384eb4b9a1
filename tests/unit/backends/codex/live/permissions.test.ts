import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  automaticDecision,
  type PermissionRequest,
} from '../../../../../src/backends/codex/live/permissions.js';

const cwd = mkdtempSync(join(tmpdir(), 'turnout-codex-edits-'));
afterAll(() => rmSync(cwd, { recursive: true }));

function patch(change: object): PermissionRequest {
  const changes = [{ kind: 'update', ...change }];
  const ids = { requestId: 0, threadId: 't', turnId: 'u' };
  return { ...ids, tool: 'apply_patch', input: { changes }, options: ['allow', 'deny'], reply: () => ({}) };
}

it.each([
  ['a file of the directory', { path: join(cwd, 'a.txt') }, 'allow'],
  ['a file outside', { path: '/etc/a.txt' }, undefined],
  ['a file that is moved inside', { path: 'a.txt', move_path: join(cwd, 'b.txt') }, 'allow'],
  ['a file that is moved out of it', { path: 'a.txt', move_path: join(cwd, '../b.txt') }, undefined],
  ['a file that is moved to nowhere', { path: 'a.txt', move_path: 7 }, undefined],
])('in edits mode, %s (16.4)', (_, change, decision) => {
  expect(automaticDecision(patch(change), 'edits', cwd)).toBe(decision);
});
