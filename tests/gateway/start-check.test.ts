import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directory, exitCode, startProgram, url } from './program.js';
import { demoAgent } from './stage.js';

const isRoot = process.getuid?.() === 0 && existsSync('/usr/bin/setpriv');

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

it.skipIf(!isRoot)(
  'the gateway starts with its home inside the working directory where AGENT_USER can’t change it, and with AGENT_USER only',
  async () => {
    const root = directory();
    chmodSync(root, 0o711);
    mkdirSync(join(root, 'work'));
    // Everybody works there, and nobody can rename what is another's.
    chmodSync(join(root, 'work'), 0o1777);
    const env = { BACKEND_CLI_PATH: demoAgent, TURNOUT_HOME: join(root, 'work', '.turnout') };
    const run = startProgram(root, { ...env, AGENT_USER: 'nobody' });
    const at = await url(run);
    expect((await fetch(`${at}/readyz`)).status).toBe(200);
    run.child.kill('SIGTERM');
    expect(await exitCode(run)).toBe(0);
    const refused = startProgram(root, env);
    expect(await exitCode(refused)).toBe(1);
    expect(refused.err).toMatch(/TURNOUT_HOME .* lies in WORKING_DIR .*Set WORKING_DIR to another directory/);
  },
);
