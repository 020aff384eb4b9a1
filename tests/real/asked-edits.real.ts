import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import type { PermissionRequestEvent } from '../../src/core/chat-event.js';
import { describeToolInput, type FileEdit } from '../../src/core/tool-input.js';
import type { Step } from '../../src/lab/model/script.js';
import type { SessionOptions } from '../../src/sessions/types.js';
import { setUpLab } from './set-up-lab.js';

// What a person is shown before anything is allowed: the change of a file, the command and its directory.

const patch = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

const edits: Readonly<Record<VendorName, (file: string) => readonly Step[]>> = {
  claude: (file) => [
    { tool: 'Read', input: { file_path: file } },
    { tool: 'Edit', input: { file_path: file, old_string: 'two', new_string: 'TWO' } },
  ],
  codex: () => [
    { tool: 'apply_patch', input: patch('*** Update File: a.txt', '@@', ' one', '-two', '+TWO') },
  ],
  gemini: (file) => [
    { tool: 'replace', input: { file_path: file, old_string: 'two', new_string: 'TWO', instruction: 'i' } },
  ],
  opencode: (file) => [
    { tool: 'read', input: { filePath: file } },
    { tool: 'edit', input: { filePath: file, oldString: 'two', newString: 'TWO' } },
  ],
};

describe.each(vendorNames)('what %s asks with (16.4)', (backend) => {
  const lab = setUpLab(backend);
  const work = () => lab.home.workingDir;

  beforeAll(() => {
    if (backend !== 'opencode') return;
    const file = join(lab.home.directory, '.config/opencode/opencode.json');
    const config = JSON.parse(readFileSync(file, 'utf8'));
    config.provider.lab.models['gpt-5'] = {};
    writeFileSync(file, JSON.stringify(config));
  });

  /** The questions of a turn, all of which are answered with no. */
  async function asked(steps: readonly Step[], more: Partial<SessionOptions> = {}) {
    writeFileSync(join(work(), 'a.txt'), 'one\ntwo\nthree\n');
    const options = { backend, config: lab.config, permissionMode: 'ask', ...more } as const;
    const session = await lab.sessions.open(options);
    lab.model.use([...steps.map((step) => ({ steps: [step] })), 'done']);
    const requests: PermissionRequestEvent[] = [];
    for await (const event of session.send('go')) {
      if (event.type !== 'permission_request') continue;
      requests.push(event);
      await session.answerPermission(event.id, 'deny');
    }
    await session.close();
    expect(readFileSync(join(work(), 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
    return requests.map(({ tool, input }) => describeToolInput(tool, input));
  }

  it('an edit: what is changed, and into what', async () => {
    const [action] = await asked(edits[backend](join(work(), 'a.txt')));
    expect(action).toMatchObject({ type: 'edit', edits: [{ path: join(work(), 'a.txt') }] });
    const [edit] = action?.type === 'edit' ? action.edits : [];
    const { before, after, diff }: Partial<FileEdit> = edit ?? {};
    if (diff === undefined)
      expect([before, after]).toEqual([expect.stringContaining('two'), expect.stringContaining('TWO')]);
    else expect(diff).toMatch(/^-two\n\+TWO$/m);
  });

  it('a new file: its text', async () => {
    const path = join(work(), 'new.txt');
    const [action] = await asked([{ writeFile: { path, content: 'hello\n' } }]);
    expect(action).toMatchObject({ type: 'edit', edits: [{ path, after: 'hello\n' }] });
  });

  it('a command, and where it runs if the CLI tells it', async () => {
    const [action] = await asked([{ shell: 'touch made.txt' }]);
    const cwd = backend === 'codex' || backend === 'gemini' ? { cwd: work() } : {};
    expect(action).toEqual({ type: 'command', command: 'touch made.txt', ...cwd });
  });

  it.skipIf(backend !== 'codex')(
    'in edits mode, a patch that moves a file out of the directory',
    async () => {
      const target = join(lab.home.directory, 'moved.txt');
      const move = patch('*** Update File: a.txt', `*** Move to: ${target}`, '@@', ' one', '-two', '+TWO');
      const [action] = await asked([{ tool: 'apply_patch', input: move }], { permissionMode: 'edits' });
      expect(action).toMatchObject({
        type: 'edit',
        edits: [{ path: join(work(), 'a.txt'), movedTo: target }],
      });
    },
  );

  it.skipIf(backend !== 'opencode')(
    'a patch of several files, which OpenCode gives to GPT models',
    async () => {
      const text = patch(
        '*** Update File: a.txt',
        '@@',
        ' one',
        '-two',
        '+TWO',
        '*** Add File: b.txt',
        '+hi',
      );
      const model = { config: { ...lab.config, model: 'lab/gpt-5' } };
      const [action] = await asked([{ tool: 'apply_patch', input: { patchText: text } }], model);
      expect(action).toMatchObject({
        type: 'edit',
        edits: [
          { path: expect.stringMatching(/a\.txt$/), diff: expect.stringMatching(/^-two\n\+TWO$/m) },
          { path: expect.stringMatching(/b\.txt$/) },
        ],
      });
    },
  );
});
