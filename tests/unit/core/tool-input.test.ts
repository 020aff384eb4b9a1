import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeToolInput,
  summarizeExactly,
  summarizeToolInput,
  unshownFields,
} from '../../../src/core/tool-input.js';

const patch = `*** Begin Patch
*** Update File: a.txt
*** Move to: moved.txt
@@
 one
-two
+TWO
*** Add File: b.txt
+hi
*** Delete File: del.txt
*** End Patch`;

describe('what a tool does (16.4)', () => {
  it.each<[what: string, tool: string, input: unknown, action: object]>([
    ['Claude: a command', 'Bash', { command: 'npm test', description: 'd' }, { command: 'npm test' }],
    [
      'Codex: a command',
      'shell',
      { command: "/bin/bash -lc 'touch x'", cwd: '/w' },
      { command: 'touch x', cwd: '/w' },
    ],
    [
      'Codex: what is quoted otherwise stays',
      'shell',
      { command: `/bin/bash -lc "it's $HOME"` },
      { command: `/bin/bash -lc "it's $HOME"` },
    ],
    ['Codex: words', 'shell', { command: ['ls', '-l'] }, { command: 'ls -l' }],
    ['Gemini: a command', 'run_shell_command', { command: 'ls', dir_path: '.' }, { command: 'ls', cwd: '.' }],
    ['OpenCode: a command', 'bash', { command: 'ls', workdir: '/w' }, { command: 'ls', cwd: '/w' }],
  ])('%s', (_, tool, input, action) => {
    expect(describeToolInput(tool, input)).toEqual({ type: 'command', ...action });
  });

  it.each<[what: string, tool: string, input: unknown, edits: readonly object[]]>([
    [
      'Claude: Edit',
      'Edit',
      { file_path: '/w/a', old_string: 'a', new_string: 'b', replace_all: false },
      [{ path: '/w/a', before: 'a', after: 'b' }],
    ],
    [
      'Claude: MultiEdit',
      'MultiEdit',
      {
        file_path: '/w/a',
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'c', new_string: '' },
        ],
      },
      [
        { path: '/w/a', before: 'a', after: 'b' },
        { path: '/w/a', before: 'c', after: '' },
      ],
    ],
    ['Claude: Write', 'Write', { file_path: '/w/a', content: 'x\n' }, [{ path: '/w/a', after: 'x\n' }]],
    [
      'Claude: NotebookEdit',
      'NotebookEdit',
      { notebook_path: '/w/n.ipynb', new_source: 'x' },
      [{ path: '/w/n.ipynb', after: 'x', note: 'The text of a cell is replaced by this one' }],
    ],
    [
      'Claude: NotebookEdit, a cell that is deleted',
      'NotebookEdit',
      { notebook_path: '/w/n.ipynb', cell_id: 'c1', edit_mode: 'delete', new_source: '# a comment' },
      [{ path: '/w/n.ipynb', note: 'A cell of the notebook is deleted' }],
    ],
    [
      'Codex: changes with what is changed',
      'apply_patch',
      {
        changes: [
          { path: '/w/a.txt', kind: 'update', move_path: '/w/m.txt', diff: '@@ -1 +1 @@\n-two\n+TWO\n' },
          { path: '/w/b.txt', kind: 'add', diff: '---\ntitle: hi\n---\n' },
          { path: '/w/d.txt', kind: 'delete', diff: 'gone\n' },
        ],
      },
      [
        { path: '/w/a.txt', diff: '@@ -1 +1 @@\n-two\n+TWO\n', movedTo: '/w/m.txt' },
        { path: '/w/b.txt', after: '---\ntitle: hi\n---\n' },
        { path: '/w/d.txt', before: 'gone\n' },
      ],
    ],
    [
      'Codex: changes of a one-shot run',
      'apply_patch',
      { changes: [{ path: '/w/a.txt', kind: 'update' }] },
      [{ path: '/w/a.txt' }],
    ],
    [
      'Codex: changes of older versions',
      'apply_patch',
      {
        changes: {
          'a.txt': { add: { content: 'hi' } },
          'b.txt': { update: { unified_diff: '@@\n-a\n+b', move_path: null } },
        },
      },
      [
        { path: 'a.txt', after: 'hi' },
        { path: 'b.txt', diff: '@@\n-a\n+b' },
      ],
    ],
    [
      'OpenCode: a patch as text',
      'apply_patch',
      { patchText: patch },
      [
        { path: 'a.txt', diff: '@@\n one\n-two\n+TWO\n', movedTo: 'moved.txt' },
        { path: 'b.txt', after: 'hi\n' },
        { path: 'del.txt', deleted: true },
      ],
    ],
    [
      'OpenCode: a question about a patch',
      'apply_patch',
      { patchText: patch, files: [{ filePath: '/w/a.txt', type: 'update', patch: '@@ -1 +1 @@\n-a\n+b' }] },
      [{ path: '/w/a.txt', diff: '@@ -1 +1 @@\n-a\n+b' }],
    ],
    [
      'Gemini: replace, live',
      'replace',
      { file_path: '/w/a', old_text: 'one\n', new_text: 'two\n' },
      [{ path: '/w/a', before: 'one\n', after: 'two\n' }],
    ],
    [
      'Gemini: replace, one-shot',
      'replace',
      { file_path: '/w/a', old_string: 'one', new_string: 'two', instruction: 'i' },
      [{ path: '/w/a', before: 'one', after: 'two' }],
    ],
    [
      'Gemini: write_file over a file',
      'write_file',
      { file_path: '/w/a', old_text: 'old\n', content: 'new\n' },
      [{ path: '/w/a', before: 'old\n', after: 'new\n' }],
    ],
    [
      'OpenCode: edit with its diff',
      'edit',
      { filePath: '/w/a', oldString: 'a', newString: 'b', diff: '@@ -1 +1 @@\n-a\n+b\n' },
      [{ path: '/w/a', before: 'a', after: 'b', diff: '@@ -1 +1 @@\n-a\n+b\n' }],
    ],
    [
      'OpenCode: a question whose tool is not known',
      'edit',
      { filepath: '/w/a', diff: '@@\n-a\n+b', patterns: ['a'] },
      [{ path: '/w/a', diff: '@@\n-a\n+b' }],
    ],
  ])('%s', (_, tool, input, edits) => {
    expect(describeToolInput(tool, input)).toEqual({ type: 'edit', edits });
  });

  it.each<[what: string, tool: string, input: unknown]>([
    [
      'Claude',
      'TodoWrite',
      {
        todos: [
          { content: 'do it', status: 'in_progress', activeForm: 'Doing' },
          { content: 'then', status: 'pending' },
        ],
      },
    ],
    [
      'Codex',
      'update_plan',
      {
        explanation: 'e',
        plan: [
          { step: 'do it', status: 'in_progress' },
          { step: 'then', status: 'pending' },
        ],
      },
    ],
    [
      'Gemini',
      'write_todos',
      {
        todos: [
          { description: 'do it', status: 'in_progress' },
          { description: 'then', status: 'blocked' },
        ],
      },
    ],
    [
      'OpenCode',
      'todowrite',
      {
        todos: [
          { content: 'do it', status: 'in_progress', priority: 'high' },
          { content: 'no', status: 'cancelled' },
          { content: 'then', status: 'pending' },
        ],
      },
    ],
  ])('todos of %s', (_, tool, input) => {
    const items = [
      { text: 'do it', state: 'in_progress' },
      { text: 'then', state: 'pending' },
    ];
    expect(describeToolInput(tool, input)).toEqual({ type: 'todos', items });
    expect(summarizeToolInput(tool, input)).toBe('0 of 2 done: do it');
  });

  it('a tool of a server is another one, whatever its input looks like', () => {
    expect(describeToolInput('mcp__files__edit', { file_path: 'a', content: 'b' })).toEqual({
      type: 'other',
    });
    expect(describeToolInput('constructor', {})).toEqual({ type: 'other' });
  });

  it('a model that adds fields does not make a change look like another one', () => {
    const hidden = {
      file_path: '/w/a',
      content: 'evil',
      before: 'x',
      diff: 'harmless',
      old_string: 'x',
      cwd: '/',
    };
    expect(describeToolInput('Write', hidden)).toEqual({
      type: 'edit',
      edits: [{ path: '/w/a', after: 'evil' }],
    });
    expect(describeToolInput('Bash', { command: 'rm', cwd: '/safe' })).toEqual({
      type: 'command',
      command: 'rm',
    });
  });

  it.each<[tool: string, input: object, unshown: Record<string, unknown>]>([
    [
      'Bash',
      { command: 'npm test', dangerouslyDisableSandbox: true, run_in_background: true },
      { dangerouslyDisableSandbox: true, run_in_background: true },
    ],
    [
      'Bash',
      JSON.parse('{"command": "ls", "__proto__": {"command": "x"}}'),
      { ['__proto__']: { command: 'x' } },
    ],
    ['shell', { command: 'ls', cwd: ['/'] }, { cwd: ['/'] }],
    ['shell', { command: 'ls', cwd: '/' }, {}],
    ['Edit', { file_path: 'a', old_string: 'b', new_string: '', replace_all: true }, { replace_all: true }],
    [
      'MultiEdit',
      { file_path: 'a', edits: [{ old_string: 'b', new_string: '', replace_all: true }] },
      { 'edits[0].replace_all': true },
    ],
    [
      'NotebookEdit',
      { notebook_path: 'n', edit_mode: 'delete', new_source: 'x' },
      { edit_mode: 'delete', new_source: 'x' },
    ],
    ['replace', { file_path: 'a', old_text: 'x', old_string: 'y', new_text: 'z' }, { old_string: 'y' }],
    ['edit', { filePath: 'a', oldString: 'a', newString: 'b', diff: '@@\n-a\n+b' }, {}],
    ['apply_patch', { patchText: patch, sudo: true }, { sudo: true }],
    ['mcp__x', { command: 'x' }, {}],
  ])('%s %j: what it does not tell by itself is told (16.5)', (tool, input, unshown) => {
    expect(unshownFields(tool, input).map(({ name, value }) => [name, value])).toEqual(
      Object.entries(unshown),
    );
  });

  it('a word of a command that is no text is not left out (16.5)', () => {
    expect(describeToolInput('shell', { command: ['ls', { a: 1 }, '; rm'] })).toEqual({
      type: 'command',
      command: 'ls {"a":1} ; rm',
    });
  });

  it('a patch hides no file and no line (16.5)', () => {
    const hidden = `*** Begin Patch\n*** Update File: a.txt\n--- b\n+++ evil\n*** Add File: x\u2028y.sh\n+evil\n*** End Patch`;
    expect(describeToolInput('apply_patch', { patchText: hidden })).toEqual({
      type: 'edit',
      edits: [
        { path: 'a.txt', diff: '@@\n--- b\n+++ evil\n' },
        { path: 'x\u2028y.sh', after: 'evil\n' },
      ],
    });
  });

  it('what is cut says so', () => {
    const action = describeToolInput('Bash', { command: `${'x'.repeat(600_000)} && rm -rf /` });
    expect(action.type === 'command' && action.command.endsWith('more characters)')).toBe(true);
  });

  it('any input is taken, and nothing grows (property)', () => {
    const names = [
      'Bash',
      'Edit',
      'MultiEdit',
      'apply_patch',
      'todowrite',
      'update_plan',
      'Grep',
      'toString',
    ];
    const keys = [
      'command',
      'cwd',
      'file_path',
      'edits',
      'changes',
      'files',
      'plan',
      'todos',
      'patchText',
      'diff',
      'kind',
      'path',
      'content',
    ];
    const value = fc.anything({
      key: fc.constantFrom(...keys),
      withBigInt: true,
      withNullPrototype: true,
      maxDepth: 4,
    });
    fc.assert(
      fc.property(fc.constantFrom(...names), value, (tool, input) => {
        const size = JSON.stringify(describeToolInput(tool, input)).length;
        expect(size).toBeLessThan(1_000_000);
        const line = summarizeToolInput(tool, input);
        expect(line.length).toBeLessThanOrEqual(120);
        expect(line).not.toMatch(/[\n\r\u2028\u202e]/);
      }),
    );
  });

  it('of thousands of files the first ones are told, and how many more there are', () => {
    const changes = Array.from({ length: 5000 }, (_, index) => ({
      path: `f${index}`,
      kind: 'add',
      diff: 'x',
    }));
    const action = describeToolInput('apply_patch', { changes });
    expect(action.type === 'edit' && action.edits.length).toBe(201);
    expect(action.type === 'edit' && action.edits.at(-1)?.path).toBe('… (4800 more)');
    expect(summarizeToolInput('apply_patch', { changes })).toBe('f0 and 200 more files');
  });
});

describe('a tool in one line (16.4)', () => {
  it.each<[tool: string, input: unknown, line: string]>([
    ['Bash', { command: 'npm test\n  && npm run build' }, 'npm test && npm run build'],
    ['Read', { file_path: '/w/src/a.ts' }, 'src/a.ts'],
    ['Edit', { file_path: '/w/src/a.ts', old_string: 'a', new_string: 'b' }, 'src/a.ts'],
    ['Edit', { file_path: '/elsewhere/a.ts', old_string: 'a', new_string: 'b' }, '/elsewhere/a.ts'],
    ['Grep', { pattern: 'TODO', path: '/w/src' }, '"TODO" in src'],
    ['grep_search', { pattern: 'TODO', dir_path: 'src' }, '"TODO" in src'],
    ['glob', { pattern: '**/*.ts' }, '"**/*.ts"'],
    ['WebFetch', { url: 'http://127.0.0.1:1/', prompt: 'x' }, 'http://127.0.0.1:1/'],
    ['web_search', { query: 'node' }, '"node"'],
    ['Task', { description: 'look', prompt: 'look at all' }, 'look'],
    ['server.ping', { limit: 3, deep: true, more: {} }, 'limit: 3, deep: true'],
    ['Bash', { command: 'echo \u202etxt.exe' }, 'echo [U+202E]txt.exe'],
    ['mcp__x__run', { description: 'Lists the files', command: 'rm -rf /' }, 'rm -rf /'],
    ['Bash', { command: `ls ${' '.repeat(5000)}; rm -rf /` }, 'ls…'],
    ['x', null, ''],
  ])('%s %j', (tool, input, line) => {
    expect(summarizeToolInput(tool, input, '/w')).toBe(line);
  });
});

describe('a tool in one line beside a way to allow it (27.9)', () => {
  const sandbox = { command: 'ls', dangerouslyDisableSandbox: true, run_in_background: true };
  it.each<[tool: string, input: unknown, line: string]>([
    ['Bash', { command: 'npm test' }, 'npm test'],
    ['Bash', { command: 'echo hi\nrm -rf ~/work #' }, 'echo hi␊rm -rf ~/work #'],
    ['Bash', { command: 'echo\r\n\u2028\u00a0x' }, 'echo␍␊[U+2028][U+00A0]x'],
    ['Bash', sandbox, 'ls (+2 fields: show it)'],
    ['Bash', { command: `ls ${' '.repeat(5000)}; rm -rf /` }, 'ls… 2398 spaces …… (cut: show it)'],
    ['Bash', { command: `ls ${' '.repeat(90)}; rm -rf /` }, 'ls… 91 spaces …; rm -rf /'],
    ['Bash', { ...sandbox, command: 'x'.repeat(121) }, `${'x'.repeat(119)}… (cut, +2 fields: show it)`],
    ['run_shell_command', { command: 'ls', dir_path: '/' }, 'ls (+1 field: show it)'],
    ['Edit', { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' }, 'a.ts'],
    [
      'Edit',
      { file_path: 'a', old_string: 'a', new_string: 'b', replace_all: true },
      'a (+1 field: show it)',
    ],
    ['WebFetch', { url: 'http://a/', prompt: 'x' }, 'http://a/ (+1 field: show it)'],
    ['Grep', { pattern: `${' '.repeat(4000)}x`, path: '/w/src' }, '"… 2399 spaces …… (cut: show it)'],
    ['server.ping', { limit: 3, deep: true, more: {} }, 'limit: 3, deep: true (+1 field: show it)'],
    ['server.ping', { more: {} }, '(+1 field: show it)'],
    ['x', null, ''],
  ])('%s %j', (tool, input, line) => {
    expect(summarizeExactly(tool, input, { cwd: '/w', see: 'show it' })).toBe(line);
  });

  it('says that something is left out also where nothing can show it', () => {
    expect(summarizeExactly('Bash', sandbox)).toBe('ls (+2 fields)');
  });
});
