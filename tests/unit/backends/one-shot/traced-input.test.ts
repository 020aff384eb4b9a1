import { expect } from 'vitest';
import { createBackend } from '../../../../src/backends/registry.js';
import type { TraceEntry } from '../../../../src/backends/types.js';
import { redactorFor } from '../../../../src/config/redact.js';
import { traceFields } from '../../../../src/sessions/trace-fields.js';
import { it } from '../../../contract/stage.js';

it('a private key in a prompt is not in the trace of what a CLI reads (S9, O9)', async ({ stage }) => {
  const body = 'M'.repeat(64);
  const prompt = `use this:\n-----BEGIN PRIVATE KEY-----\n${body}\n${body}\n-----END PRIVATE KEY-----\nand go`;
  const traced: TraceEntry[] = [];
  const backend = createBackend('opencode', stage.config('replay.sh', stage.replay('', { exit: 0 })));
  for await (const _ of backend.run({ prompt }, { trace: (entry) => traced.push(entry) }));
  const read = traced.filter((entry) => entry.type === 'line' && entry.direction === 'out');
  const shown = JSON.stringify(read.map((entry) => traceFields(entry, redactorFor({}))));
  expect(shown).toContain('use this');
  expect(shown).toContain('and go');
  expect(shown).not.toContain('MMM');
});
