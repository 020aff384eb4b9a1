import type { ToolCall } from './api.js';
import type { OfferedTool } from './request.js';
import type { ShellStep, ToolStep, WriteFileStep } from './script.js';

/**
 * Turns a scripted call into a call of one of the tools that the request offers, the way a model would.
 * Returns `undefined` if no offered tool can do it.
 */
export function chooseToolCall(
  step: ShellStep | WriteFileStep | ToolStep,
  offered: readonly OfferedTool[],
  id: string,
): ToolCall | undefined {
  if ('tool' in step) return namedCall(step, offered, id);
  return 'shell' in step ? shellCall(step.shell, offered, id) : writeFileCall(step.writeFile, offered, id);
}

function namedCall(step: ToolStep, offered: readonly OfferedTool[], id: string): ToolCall {
  const tool = offered.find((candidate) => candidate.name === step.tool);
  if (tool !== undefined) return callOf(tool, step.input, id);
  // In code mode most tools (MCP's too) exist only inside the program that `exec` runs.
  const codeMode = findCodeMode(offered);
  if (codeMode !== undefined) return callOf(codeMode, nestedCall(step.tool, step.input), id);
  return { type: 'tool_call', id, name: step.tool, namespace: undefined, freeform: false, input: step.input };
}

function shellCall(command: string, offered: readonly OfferedTool[], id: string): ToolCall | undefined {
  const tool = findTool(offered, [
    'Bash',
    'bash',
    'run_shell_command',
    'exec_command',
    'shell_command',
    'shell',
  ]);
  if (tool !== undefined) return callOf(tool, shellInput(tool, command), id);
  const codeMode = findCodeMode(offered);
  return codeMode && callOf(codeMode, shellProgram(command), id);
}

function shellInput(tool: OfferedTool, command: string): unknown {
  if (tool.name === 'exec_command') return { cmd: command, yield_time_ms: 30_000 };
  if (tool.name === 'shell') return { command: ['bash', '-lc', command] };
  const description = tool.parameters.includes('description') ? { description: 'A scripted command' } : {};
  return { command, ...description };
}

function writeFileCall(
  file: WriteFileStep['writeFile'],
  offered: readonly OfferedTool[],
  id: string,
): ToolCall | undefined {
  const writer = findTool(offered, ['Write', 'write', 'write_file']);
  if (writer !== undefined) {
    const pathName = ['file_path', 'filePath', 'path'].find((name) => writer.parameters.includes(name));
    return callOf(writer, { [pathName ?? 'file_path']: file.path, content: file.content }, id);
  }
  const patch = addFilePatch(file);
  const patcher = findTool(offered, ['apply_patch']);
  if (patcher !== undefined) {
    return callOf(patcher, patcher.freeform ? patch : { [patcher.parameters[0] ?? 'input']: patch }, id);
  }
  const codeMode = findCodeMode(offered);
  if (codeMode !== undefined) return callOf(codeMode, nestedCall('apply_patch', patch), id);
  // Codex has only a shell for a model that it does not know, and handles this one command by itself.
  return shellCall(`apply_patch <<'END_OF_PATCH'\n${patch}\nEND_OF_PATCH`, offered, id);
}

function addFilePatch(file: WriteFileStep['writeFile']): string {
  const lines = file.content.replace(/\n$/, '').split('\n');
  return [
    '*** Begin Patch',
    `*** Add File: ${file.path}`,
    ...lines.map((line) => `+${line}`),
    '*** End Patch',
  ].join('\n');
}

/** Codex's default models see one tool, `exec`, that runs JavaScript with the other tools as functions. */
function findCodeMode(offered: readonly OfferedTool[]): OfferedTool | undefined {
  return offered.find((tool) => tool.name === 'exec' && tool.freeform);
}

function nestedCall(tool: string, input: unknown): string {
  return `const result = await tools[${JSON.stringify(tool)}](${JSON.stringify(input)});\ntext(result);\n`;
}

/** Polls a command that outlasts one `exec_command` to its end, as a model would. */
function shellProgram(command: string): string {
  return [
    '// @exec: {"yield_time_ms": 600000}',
    `let result = await tools.exec_command(${JSON.stringify({ cmd: command, yield_time_ms: 30_000 })});`,
    'let output = result.output;',
    'while (result.session_id !== undefined && result.session_id !== null) {',
    '  result = await tools.write_stdin({ session_id: result.session_id, yield_time_ms: 30000 });',
    '  output += result.output;',
    '}',
    'text(output);',
    '',
  ].join('\n');
}

function findTool(offered: readonly OfferedTool[], names: readonly string[]): OfferedTool | undefined {
  return offered.find((tool) => names.includes(tool.name));
}

function callOf(tool: OfferedTool, input: unknown, id: string): ToolCall {
  return {
    type: 'tool_call',
    id,
    name: tool.name,
    namespace: tool.namespace,
    freeform: tool.freeform,
    input,
  };
}
