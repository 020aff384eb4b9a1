import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directory, exitCode, startProgram } from './program.js';

it.each([
  ['a file that is not executable', 'codex', 'is not executable'],
  ['a directory', '.', 'is a directory'],
])('the gateway does not start with %s for its CLI (R9.3)', async (_, name, reason) => {
  const root = directory();
  writeFileSync(join(root, 'codex'), '#!/bin/sh\n', { mode: 0o644 });
  const path = join(root, name);
  const run = startProgram(root, { AGENT_BACKEND: 'codex', BACKEND_CLI_PATH: path });
  expect(await exitCode(run)).toBe(1);
  expect(run.err).toContain(`The backend codex (${path}) can't be used`);
  expect(run.err).toContain(reason);
});
