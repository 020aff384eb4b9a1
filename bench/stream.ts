import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ClaudeCodeBackend, startProcess } from './product.js';
import type { Comparison } from './report.js';

const megabytes = 1024;
const program = fileURLToPath(new URL('./programs/write-ndjson.mjs', import.meta.url));

/** One gigabyte of NDJSON: the process layer with JSON.parse, a whole turn with events, and node:readline. */
export async function measureStream(): Promise<readonly Comparison[]> {
  const readline = await measured(readWithReadline);
  const lines = await measured(readWithProcessLayer);
  const turn = await measured(readAsTurn);
  const rate = (of: { seconds: number }) => `${Math.round(megabytes / of.seconds)} MB/s`;
  const speed = (name: string, of: Measured): Comparison => ({
    name: `1 GB of NDJSON, ${name}`,
    ours: rate(of),
    other: `node:readline + JSON.parse ${rate(readline)}`,
    ratio: readline.seconds / of.seconds,
    goal: 'at least 1',
    met: readline.seconds / of.seconds >= 1,
  });
  const memory = (name: string, of: Measured): Comparison => ({
    name: `1 GB of NDJSON, ${name}, growth of peak memory`,
    ours: `${of.grownMegabytes.toFixed(0)} MB`,
    other: 'a limit of 100 MB',
    ratio: of.grownMegabytes / 100,
    goal: 'below 1',
    met: of.grownMegabytes < 100,
  });
  return [
    speed('lines + JSON.parse', lines),
    memory('lines + JSON.parse', lines),
    speed('a whole turn as events', turn),
    memory('a whole turn as events', turn),
  ];
}

interface Measured {
  readonly seconds: number;
  readonly grownMegabytes: number;
}

async function measured(read: () => Promise<number>): Promise<Measured> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const start = performance.now();
  const count = await read();
  const seconds = (performance.now() - start) / 1000;
  clearInterval(sampler);
  if (count < 1_000_000) throw new Error(`Only ${count} lines arrived`);
  return { seconds, grownMegabytes: (peak - before) / 1024 / 1024 };
}

const env = { PATH: process.env['PATH'] ?? '', BENCH_MEGABYTES: String(megabytes) };

async function readWithReadline(): Promise<number> {
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let count = 0;
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    if (JSON.parse(line).type !== undefined) count++;
  });
  await new Promise((resolve) => lines.once('close', resolve));
  return count;
}

async function readWithProcessLayer(): Promise<number> {
  const child = await startProcess({ command: process.execPath, args: [program], env });
  let count = 0;
  for await (const lines of child.lines()) {
    for (const line of lines) if (JSON.parse(line.text).type !== undefined) count++;
  }
  await child.end();
  return count;
}

async function readAsTurn(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'turnout-bench-'));
  const cliPath = join(home, 'claude');
  writeFileSync(cliPath, `#!/bin/sh\nexec "${process.execPath}" "${program}"\n`, { mode: 0o755 });
  const backend = new ClaudeCodeBackend({
    cliPath,
    workingDir: home,
    queryTimeoutMs: 600_000,
    allowedTools: [],
    maxTurns: 25,
    env: { ...env, TURNOUT_HOME: home },
  });
  let count = 0;
  for await (const event of backend.run({ prompt: 'write' })) if (event.type === 'text') count++;
  rmSync(home, { recursive: true, force: true });
  return count;
}
