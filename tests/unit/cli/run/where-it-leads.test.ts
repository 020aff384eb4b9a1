import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { requestRows } from '../../../../src/cli/chat/state/describe-request.js';
import { textOf } from '../../../../src/cli/chat/text/styled-line.js';
import { withLeads } from '../../../../src/cli/run/where-it-leads.js';

it('a question in a terminal says where a link would have the agent write (27.10)', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-leads-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const cwd = join(root, 'work');
  mkdirSync(join(cwd, 'src'), { recursive: true });
  symlinkSync(join(root, 'secret\u202e.txt'), join(cwd, 'notes.txt'));
  symlinkSync('src', join(cwd, 'lib'));
  const rows = async (tool: string, input: unknown) => {
    const options = ['allow', 'deny'] as const;
    const request = await withLeads({ type: 'permission_request', id: 'q', tool, input, options }, cwd);
    return requestRows(request, 10_000, cwd).rows.map(textOf);
  };
  expect(await rows('Write', { file_path: 'notes.txt', content: 'x' })).toEqual([
    `│ notes.txt leads outside the work tree, to ${root}/secret[U+202E].txt`,
    ...['│ notes.txt', '│ @@ -0,0 +1,1 @@', '│ +x', '│ \\ No newline at end of file'],
  ]);
  expect((await rows('Write', { file_path: join(cwd, 'lib/new.ts'), content: 'x' }))[0]).toBe(
    '│ lib/new.ts is a link: it leads to src/new.ts',
  );
  expect((await rows('Write', { file_path: 'src/a.ts', content: 'x' }))[0]).toBe('│ src/a.ts');
  expect(await rows('Bash', { command: 'cat notes.txt' })).toEqual(['│ $ cat notes.txt']);
});
