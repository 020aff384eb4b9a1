import { expect, it } from 'vitest';
import { createBackend, type VendorName } from '../../../src/backends/registry.js';

/** Whether the tool of this line has failed, as a one-shot turn tells it. */
async function failed(backend: VendorName, line: object): Promise<boolean | undefined> {
  async function* printed() {
    yield JSON.stringify(line);
  }
  const adapter = createBackend(backend, { cliPath: backend });
  for await (const event of adapter.decode?.(printed()) ?? [])
    if (event.type === 'tool_end') return event.isError;
  return undefined;
}

it.each([
  [3, true],
  [null, true],
  [0, false],
  [undefined, false],
])('opencode: a command that exits with %s has failed: %s (18.1)', async (exit, isError) => {
  const state = { status: 'completed', input: {}, output: 'oops', metadata: { exit } };
  const part = { type: 'tool', tool: 'bash', callID: 'c', state };
  expect(await failed('opencode', { type: 'tool_use', sessionID: 's', part })).toBe(isError);
});

it.each([
  ['run_shell_command__1', 'Command exited with code: 4', true],
  ['run_shell_command__1', 'Command terminated by signal: SIGKILL', true],
  ['run_shell_command__1', 'oops', false],
  ['read_file__1', 'Command exited with code: 4', false],
])('gemini: %s with the output "%s" has failed: %s (18.1)', async (id, output, isError) => {
  const line = { type: 'tool_result', tool_id: id, status: 'success', output };
  expect(await failed('gemini', line)).toBe(isError);
});
