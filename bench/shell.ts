import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installCli } from '../scripts/install-cli.js';
import { type VendorName, vendorNames } from '../src/backends/registry.js';
import { type LabHome, makeHome } from '../src/lab/home.js';
import { type Comparison, median, milliseconds } from './report.js';
import { startModel } from './start-model.js';

const turnout = pathOf('../dist/cli/main.js');
const library = pathOf('../dist/index.js');
const empty = pathOf('./programs/empty.mjs');
const answerOnce = pathOf('./programs/answer-once.sh');

const rounds = 30;
/** Real CLIs take a second or two each. */
const realRounds = 12;

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
    const [floor = 0, run = 0, load = 0] = await alternately(rounds, [
      () => timed(process.execPath, [empty], place),
      () => timed(process.execPath, [turnout, 'run', 'hello'], place, 'hello'),
      () => timed(process.execPath, ['--import', library, empty], place),
    ]);
    const modules = await loadedModules(place);
    return [
      {
        name: '`turnout run` around a CLI that answers at once',
        ours: milliseconds(run),
        other: `an empty Node program ${milliseconds(floor)}`,
        ratio: run / floor,
        goal: 'at most 2.5',
        met: run / floor <= 2.5,
      },
      {
        name: `import 'turnout' (${modules} modules)`,
        ours: milliseconds(load - floor),
        other: '40 ms',
        ratio: (load - floor) / 40,
        goal: 'at most 1',
        met: load - floor <= 40,
      },
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
    const [other = 0, own = 0] = await alternately(realRounds, [
      () => timed(cliPath, args, { cwd: home.workingDir, env: bareEnv }, expected),
      () => timed(process.execPath, [turnout, ...ours], { cwd: home.workingDir, env: ourEnv }, expected),
    ]);
    return {
      name: `${backend}, \`turnout run\` from the shell`,
      ours: milliseconds(own),
      other: `the bare CLI ${milliseconds(other)}`,
      ratio: own / other,
      goal: 'at most 1.05',
      met: own / other <= 1.05,
    };
  } finally {
    await model.close();
    await home.remove();
  }
}

/** What a person would type for the same: one turn in which every tool is allowed. */
const bare: Readonly<
  Record<
    VendorName,
    (home: LabHome) => { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  >
> = {
  // Root may skip permissions only in a sandbox.
  claude: () => ({ args: ['-p', 'hello', '--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } }),
  codex: () => ({
    args: ['exec', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check', 'hello'],
  }),
  gemini: ({ model = '' }) => ({
    args: ['-p', 'hello', '--approval-mode', 'yolo', '--model', model],
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  }),
  opencode: ({ model = '' }) => ({ args: ['run', 'hello', '--model', model] }),
};

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The median of each, in turns; the first rounds warm up the disk cache. */
async function alternately(
  times: number,
  contenders: readonly (() => Promise<number>)[],
): Promise<readonly number[]> {
  const taken = contenders.map((): number[] => []);
  for (let round = -2; round < times; round++) {
    for (const [index, contend] of contenders.entries()) {
      const time = await contend();
      if (round >= 0) taken[index]?.push(time);
    }
  }
  return taken.map(median);
}

/** From the start of a program until it has ended and its output is read. */
async function timed(command: string, args: readonly string[], place: Place, expected = ''): Promise<number> {
  const start = performance.now();
  const child = spawn(command, args, { ...place, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      printed[name] += chunk;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  const time = performance.now() - start;
  if (code !== 0 || !printed.stdout.includes(expected))
    throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${printed.stdout}${printed.stderr}`);
  return time;
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
