import { describe, expect, it } from 'vitest';
import { claudeEntries } from '../../../src/backends/claude/record-entries.js';
import { createBackend, type VendorName } from '../../../src/backends/registry.js';

const limits = { workingDir: '.', queryTimeoutMs: 0, allowedTools: [], maxTurns: 1 };

async function ends(backend: VendorName, ...lines: readonly object[]) {
  async function* printed() {
    for (const line of lines) yield JSON.stringify(line);
  }
  const found = [];
  const adapter = createBackend(backend, { cliPath: backend, ...limits });
  for await (const event of adapter.decode?.(printed()) ?? [])
    if (event.type === 'tool_end') found.push(event);
  return found.map(({ id, isError, denied }) => ({ id, isError, denied }));
}

const use = (id: string) => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] },
});
const result = (id: string) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'no', is_error: true }] },
});

describe('a tool that was not run because it was denied says so at its end [fault 13.8: a denied tool counts as begun]', () => {
  it('claude: by its mode or a rule', async () => {
    const line = { type: 'system', subtype: 'permission_denied', tool_name: 'Bash', tool_use_id: 't1' };
    expect(await ends('claude', use('t1'), line, result('t1'), use('t2'), result('t2'))).toEqual([
      { id: 't1', isError: true, denied: true },
      { id: 't2', isError: true, denied: undefined },
    ]);
  });

  it('claude: by its own words, in versions that say it in no other way', async () => {
    const said = (id: string, content: string) => ({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error: true }] },
    });
    const words = 'Permission to use Bash has been denied because of a rule.';
    expect(
      await ends('claude', use('t1'), said('t1', words), use('t2'), said('t2', `Exit code 1\n${words}`)),
    ).toEqual([
      { id: 't1', isError: true, denied: true },
      { id: 't2', isError: true, denied: undefined },
    ]);
  });

  it('claude: no tool that was stopped while it ran, whatever Claude says of it first', async () => {
    const words =
      "The user doesn't want to proceed with this tool use. The tool use was rejected. Correction to the text above: this call was stopped while running, not refused before it ran.";
    const block = { type: 'tool_result', tool_use_id: 't1', content: words, is_error: true };
    const line = { type: 'user', message: { role: 'user', content: [block] } };
    expect(await ends('claude', use('t1'), line)).toEqual([{ id: 't1', isError: true, denied: undefined }]);
    expect(claudeEntries([JSON.stringify(line)])).toMatchObject([{ id: 't1', isError: true, denied: false }]);
  });

  it('codex: declined, not failed', async () => {
    const item = (id: string, status: string) => ({
      type: 'item.completed',
      item: { id, type: 'command_execution', command: 'make', status },
    });
    expect(await ends('codex', item('i1', 'declined'), item('i2', 'failed'))).toEqual([
      { id: 'i1', isError: true, denied: true },
      { id: 'i2', isError: true, denied: undefined },
    ]);
  });

  it('gemini: by a policy', async () => {
    const line = (id: string, message: string) => ({
      ...{ type: 'tool_result', tool_id: id, status: 'error', error: { message } },
    });
    expect(
      await ends('gemini', line('g1', 'Tool execution denied by policy.'), line('g2', 'exit 1')),
    ).toEqual([
      { id: 'g1', isError: true, denied: true },
      { id: 'g2', isError: true, denied: undefined },
    ]);
  });

  it('opencode: by a rule', async () => {
    const rule = 'The user has specified a rule which prevents you from using this specific tool call.';
    const line = (callID: string, error: string) => ({
      type: 'tool_use',
      part: { type: 'tool', tool: 'bash', callID, state: { status: 'error', input: {}, error } },
    });
    expect(await ends('opencode', line('o1', rule), line('o2', 'exit 1'))).toEqual([
      { id: 'o1', isError: true, denied: true },
      { id: 'o2', isError: true, denied: undefined },
    ]);
  });
});
