import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installCli } from '../scripts/install-cli.js';
import { type VendorName, vendorNames } from '../src/backends/registry.js';
import { makeHome } from '../src/lab/home.js';
import { bare, type Place, timed } from './bare-cli.js';
import { type Comparison, median, milliseconds } from './report.js';
import { startModel } from './start-model.js';
import { shuffled } from './turns.js';

const turnout = pathOf('../dist/cli/main.js');
const library = pathOf('../dist/index.js');
const empty = pathOf('./programs/empty.mjs');
const answerOnce = pathOf('./programs/answer-once.sh');

const rounds = 30;
/** Real CLIs take a second or two each. */
const realRounds = 16;

/**
 * What a person waits for at the shell, from the start of the program to its end: `turnout run` around a CLI that answers at
 * once, `import 'turnout'`, and `turnout run` around each real CLI, against the same CLI with the same prompt.
 */
export async function measureShell(): Promise<readonly Comparison[]> {
  const comparisons = [...(await measureFast())];
  const wanted = process.env['BENCH_BACKENDS']?.split(',') ?? vendorNames;
  for (const backend of vendorNames) {
    if (wanted.includes(backend)) comparisons.push(await measureReal(backend));
  }
  return comparisons;
}

async function measureFast(): Promise<readonly Comparison[]> {
  const home = mkdtempSync(join(tmpdir(), 'turnout-bench-'));
  const place = {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, BACKEND_CLI_PATH: answerOnce },
  };
  try {
    const [floor = [], run = [], load = []] = await alternately(rounds, [
      () => timed(process.execPath, [empty], place),
      () => timed(process.execPath, [turnout, 'run', 'hello'], place, 'hello'),
      () => timed(process.execPath, ['--import', library, empty], place),
    ]);
    const modules = await loadedModules(place);
    const loading = load.map((time, round) => time - (floor[round] ?? 0));
    return [
      compare('`turnout run` around a CLI that answers at once', run, emptyProgram, floor, 2.5),
      // 40 ms, where an empty program takes 28.
      compare(`import 'turnout' (${modules} modules)`, loading, emptyProgram, floor, 1.43),
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureReal(backend: VendorName): Promise<Comparison> {
  const model = await startModel();
  const home = await makeHome(backend, model.url);
  const cliPath = installCli(backend);
  const { args, env = {} } = bare[backend](home);
  const bareEnv = { ...home.env, ...env };
  const ourEnv = { ...home.env, AGENT_BACKEND: backend, BACKEND_CLI_PATH: cliPath };
  const ours = ['run', 'hello', ...(home.model === undefined ? [] : ['--model', home.model])];
  const expected = 'an answer at once';
  try {
    const [other = [], own = []] = await alternately(realRounds, [
      () => timed(cliPath, args, { cwd: home.workingDir, env: bareEnv }, expected),
      () => timed(process.execPath, [turnout, ...ours], { cwd: home.workingDir, env: ourEnv }, expected),
    ]);
    return compare(`${backend}, \`turnout run\` from the shell`, own, 'the bare CLI', other, 1.05);
  } finally {
    await model.close();
    await home.remove();
  }
}

/** The median of the ratios of each round: what slows one round of a busy machine slows both of its contenders. */
function compare(
  name: string,
  ours: readonly number[],
  otherName: string,
  other: readonly number[],
  most: number,
): Comparison {
  const ratio = median(ours.map((time, round) => time / (other[round] ?? Number.NaN)));
  return {
    name,
    ours: milliseconds(median(ours)),
    other: `${otherName} ${milliseconds(median(other))}`,
    ratio,
    goal: `at most ${most}`,
    met: ratio <= most,
  };
}

const emptyProgram = 'an empty Node program';

/** The times of each, in turns; the first rounds warm up the disk cache and the cache of compiled code. */
async function alternately(
  times: number,
  contenders: readonly (() => Promise<number>)[],
): Promise<readonly (readonly number[])[]> {
  const taken = contenders.map((): number[] => []);
  for (let round = -3; round < times; round++) {
    for (const [index, contend] of shuffled([...contenders.entries()])) {
      const time = await contend();
      if (round >= 0) taken[index]?.push(time);
    }
  }
  return taken;
}

async function loadedModules({ env }: Place): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', countModules], {
    env: { ...env, NODE_DEBUG: 'esm', BENCH_LIBRARY: library },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  return new Set(text.match(/file:\/\/\/\S+\.js\b/g)).size;
}

const countModules = 'await import(process.env.BENCH_LIBRARY)';

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
