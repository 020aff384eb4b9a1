import { expect, it } from 'vitest';
import type { VendorName } from '../../../src/backends/names.js';
import { createBackend } from '../../../src/backends/registry.js';
import type { RunRequest } from '../../../src/backends/types.js';
import { configWith } from '../../property/read-arguments.js';

it.each<[VendorName, Partial<RunRequest>, string]>([
  ['codex', { maxTurns: 3 }, 'codex does not support maxTurns (--max-turns). Limit the turn by time instead'],
  ['gemini', { allowedTools: ['x'] }, "Configure the tools in gemini's own settings"],
  ['codex', { settings: '/s.json' }, 'codex does not support settings (--settings). The file is in Claude'],
  ['claude', { thinking: 'off' }, 'claude has no thinking "off". Use one of: low, medium, high'],
  ['opencode', { permissionMode: 'ask' }, 'Use one of: bypass, edits, plan'],
])('%s refuses %j with what to use instead (O4)', async (name, request, advice) => {
  expect(await refusal(name, request)).toContain(advice);
  expect(await refusal(name, request)).not.toContain('--thinking');
});

async function refusal(name: VendorName, request: Partial<RunRequest>): Promise<string> {
  const messages: string[] = [];
  for await (const event of createBackend(name, configWith({})).run({ prompt: 'hi', ...request })) {
    expect(event).toMatchObject({ type: 'error', code: 'unsupported' });
    if (event.type === 'error') messages.push(event.message);
  }
  return messages.join('\n');
}
