import { describe, expect, it } from 'vitest';
import type { OfferedTool } from '../../../src/lab/model/request.js';
import { chooseToolCall } from '../../../src/lab/model/tools.js';

function offer(
  name: string,
  parameters: readonly string[] = [],
  more: Partial<OfferedTool> = {},
): OfferedTool {
  return { name, namespace: undefined, freeform: false, description: '', parameters, ...more };
}

const claude = [
  offer('Read', ['file_path']),
  offer('Bash', ['command', 'description']),
  offer('Write', ['file_path', 'content']),
];
const gemini = [
  offer('write_file', ['file_path', 'content']),
  offer('run_shell_command', ['command', 'description']),
];
const openCode = [offer('bash', ['command', 'timeout']), offer('write', ['content', 'filePath'])];
const openCodeWithGpt = [offer('bash', ['command']), offer('apply_patch', ['patchText'])];
const codexClassic = [offer('exec_command', ['cmd']), offer('update_plan')];
const codexCodeMode = [
  offer('exec', [], { freeform: true, namespace: 'functions' }),
  offer('wait', ['cell_id']),
];

describe('a shell call', () => {
  it.each([
    ['claude', claude, 'Bash', { command: 'ls', description: 'A scripted command' }],
    ['gemini', gemini, 'run_shell_command', { command: 'ls', description: 'A scripted command' }],
    ['opencode', openCode, 'bash', { command: 'ls' }],
    ['codex, classic', codexClassic, 'exec_command', { cmd: 'ls', yield_time_ms: 30_000 }],
    ['codex, older', [offer('shell', ['command'])], 'shell', { command: ['bash', '-lc', 'ls'] }],
  ])('of %s', (_, offered, name, input) => {
    expect(chooseToolCall({ shell: 'ls' }, offered, 'c1')).toMatchObject({
      id: 'c1',
      name,
      input,
      freeform: false,
    });
  });

  it('of codex in code mode is a program', () => {
    const call = chooseToolCall({ shell: 'echo "$(x)"' }, codexCodeMode, 'c1');
    expect(call).toMatchObject({ name: 'exec', namespace: 'functions', freeform: true });
    expect(call?.input).toContain(String.raw`tools.exec_command({"cmd":"echo \"$(x)\""`);
  });

  it('is impossible where no shell is offered', () => {
    expect(chooseToolCall({ shell: 'ls' }, [offer('Read')], 'c1')).toBeUndefined();
  });
});

describe('a file call', () => {
  const step = { writeFile: { path: '/w/a.txt', content: 'one\ntwo\n' } };
  const patch = '*** Begin Patch\n*** Add File: /w/a.txt\n+one\n+two\n*** End Patch';

  it.each([
    ['claude', claude, 'Write', { file_path: '/w/a.txt', content: 'one\ntwo\n' }],
    ['gemini', gemini, 'write_file', { file_path: '/w/a.txt', content: 'one\ntwo\n' }],
    ['opencode', openCode, 'write', { filePath: '/w/a.txt', content: 'one\ntwo\n' }],
    ['opencode with a GPT model', openCodeWithGpt, 'apply_patch', { patchText: patch }],
    ['codex with a patch tool', [offer('apply_patch', [], { freeform: true })], 'apply_patch', patch],
  ])('of %s', (_, offered, name, input) => {
    expect(chooseToolCall(step, offered, 'c1')).toMatchObject({ name, input });
  });

  it('of codex goes through its patch command where it has only a shell', () => {
    const call = chooseToolCall(step, codexClassic, 'c1');
    expect(call).toMatchObject({ name: 'exec_command' });
    expect(call?.input).toMatchObject({ cmd: `apply_patch <<'END_OF_PATCH'\n${patch}\nEND_OF_PATCH` });
  });

  it('of codex in code mode is a program', () => {
    expect(chooseToolCall(step, codexCodeMode, 'c1')?.input).toContain(
      'tools["apply_patch"]("*** Begin Patch',
    );
  });
});

describe('a call by name', () => {
  it('is made even if the tool is not offered', () => {
    expect(chooseToolCall({ tool: 'Bash', input: { command: 'x' } }, [offer('Read')], 'c1')).toMatchObject({
      name: 'Bash',
      input: { command: 'x' },
    });
  });

  it('keeps the group and the form of an offered tool', () => {
    expect(chooseToolCall({ tool: 'exec', input: 'text(1)' }, codexCodeMode, 'c1')).toMatchObject({
      namespace: 'functions',
      freeform: true,
      input: 'text(1)',
    });
  });

  it('is nested in a program where codex offers the tool only there', () => {
    expect(chooseToolCall({ tool: 'mcp__echo__ping', input: { x: '1' } }, codexCodeMode, 'c1')).toMatchObject(
      {
        name: 'exec',
        input: 'const result = await tools["mcp__echo__ping"]({"x":"1"});\ntext(result);\n',
      },
    );
  });
});
