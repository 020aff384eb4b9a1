import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VendorName } from '../../src/backends/registry.js';
import { deepScenarios } from '../../src/cli/doctor/doctor-deep.js';
import { runScenarios } from '../../src/lab/run-scenarios.js';
import { installedCli } from './installed-cli.js';

/** Faults that a CLI update might bring, made on purpose: a wrapper around the real CLI that spoils its output. */
const sabotage: readonly { cli: VendorName; what: string; spoil: string; caughtBy: readonly string[] }[] = [
  {
    cli: 'claude',
    what: 'drops the tool result',
    spoil: `line.includes('"tool_result"') ? undefined : line`,
    caughtBy: ['tool'],
  },
  {
    cli: 'claude',
    what: 'drops one text delta',
    spoil: `line.includes('"text":"two "') && line.includes('text_delta') ? undefined : line`,
    caughtBy: ['streamed-answer'],
  },
  {
    cli: 'claude',
    what: 'changes the session id',
    spoil: `line.replace(/"session_id":"./g, (id) => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0'))`,
    caughtBy: ['resume'],
  },
  {
    cli: 'codex',
    what: 'does not say that a tool begins',
    spoil: `line.includes('item.started') ? undefined : line`,
    caughtBy: ['timeout-in-tool'],
  },
  {
    cli: 'codex',
    what: 'drops turn.completed',
    spoil: `line.includes('turn.completed') ? undefined : line`,
    caughtBy: ['plain-answer', 'streamed-answer'],
  },
  {
    cli: 'codex',
    what: 'changes the thread id',
    spoil: `line.replace(/"thread_id":"./g, '"thread_id":"f')`,
    caughtBy: ['resume'],
  },
];

describe('doctor --deep finds a broken CLI and names the scenario', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'turnout-broken-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  // Side by side: much of it is waiting for what was dropped, and each has a home of its own.
  it.concurrent.each(sabotage)('$cli that $what', async ({ cli, what, spoil, caughtBy }) => {
    const wrapper = join(directory, `${cli}-${what.replaceAll(/\W/g, '-')}`);
    writeFileSync(wrapper, wrapperSource(installedCli(cli), spoil));
    chmodSync(wrapper, 0o755);
    const ids = [...caughtBy, 'resume-unknown'];
    const results = await runScenarios({
      cli,
      cliPath: wrapper,
      scenarios: deepScenarios.filter(({ id }) => ids.includes(id)),
      faces: ['library'],
      turnout: [],
    });
    const failed = results.filter(({ state }) => state === 'failed').map(({ scenario }) => scenario);
    expect(failed).toEqual(caughtBy);
  });
});

function wrapperSource(command: string, spoil: string): string {
  return `#!${process.execPath}
const { spawn } = require('node:child_process');
const child = spawn(${JSON.stringify(command)}, process.argv.slice(2), { stdio: ['inherit', 'pipe', 'inherit'] });
const spoil = (line) => ${spoil};
const lines = require('node:readline').createInterface({ input: child.stdout });
lines.on('line', (line) => {
  const spoiled = spoil(line);
  if (spoiled !== undefined) process.stdout.write(spoiled + '\\n');
});
child.on('close', (code) => { process.exitCode = code ?? 1; });
`;
}
