import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClaudeCodeBackend } from './product.js';
import { type Comparison, median, milliseconds } from './report.js';

const rounds = 30;
const program = fileURLToPath(new URL('./programs/answer-once.mjs', import.meta.url));

/** A turn through `execute()` against spawning the same program and reading it by hand. */
export async function measureOneShot(): Promise<readonly Comparison[]> {
  const home = mkdtempSync(join(tmpdir(), 'turnout-bench-'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TURNOUT_HOME: home };
  const backend = new ClaudeCodeBackend({
    cliPath: program,
    workingDir: home,
    queryTimeoutMs: 60_000,
    allowedTools: [],
    maxTurns: 25,
    env,
  });
  const args = backend.buildArgs('hello', join(home, 'system-prompt.md'));
  const ours: number[] = [];
  const byHand: number[] = [];
  try {
    for (let i = 0; i < rounds + 3; i++) {
      const handTime = await timed(() => spawnByHand(args, home, env));
      const ourTime = await timed(() => backend.execute('hello', 'Be brief.'));
      // The first rounds warm up the disk cache and the compiler.
      if (i < 3) continue;
      byHand.push(handTime);
      ours.push(ourTime);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  const ratio = median(ours) / median(byHand);
  return [
    {
      name: 'one-shot turn through execute()',
      ours: milliseconds(median(ours)),
      other: `spawn and read by hand ${milliseconds(median(byHand))}`,
      ratio,
      goal: 'at most 1.10',
      met: ratio <= 1.1,
    },
  ];
}

async function spawnByHand(args: readonly string[], cwd: string, env: Record<string, string>): Promise<void> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.resume();
  await once(child, 'close');
  const result = JSON.parse(stdout);
  if (result.result !== 'hello') throw new Error(`The fixture answered ${stdout}`);
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}
