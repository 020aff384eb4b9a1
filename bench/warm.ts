import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installCli } from '../scripts/install-cli.js';
import { type VendorName, vendorNames } from '../src/backends/registry.js';
import { makeHome } from '../src/lab/home.js';
import { bare, type Place, timed } from './bare-cli.js';
import { type Comparison, median, milliseconds } from './report.js';
import { startModel } from './start-model.js';

const turnout = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const empty = fileURLToPath(new URL('./programs/empty.mjs', import.meta.url));
const rounds = 15;
/** Between two turns of a person, or of a script that does something with the answer. */
const restMs = 150;
const answer = 'an answer at once';
const idleFloor = 28;

/** From the shell to the end of the answer, in ms, on two cores that start an empty Node program in 28 ms. */
const goals: Readonly<Record<VendorName, number>> = { claude: 150, codex: 200, gemini: 140, opencode: 300 };

/** `turnout run --warm` from the shell to its end, against the bare CLI with the same prompt. */
export async function measureWarm(): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  const wanted = process.env['BENCH_BACKENDS']?.split(',') ?? vendorNames;
  for (const backend of vendorNames) {
    if (wanted.includes(backend)) comparisons.push(...(await measureBackend(backend)));
  }
  return comparisons;
}

async function measureBackend(backend: VendorName): Promise<readonly Comparison[]> {
  const model = await startModel();
  const home = await makeHome(backend, model.url);
  const cliPath = installCli(backend);
  const place: Place = {
    cwd: home.workingDir,
    env: { ...home.env, AGENT_BACKEND: backend, BACKEND_CLI_PATH: cliPath },
  };
  const chosen = home.model === undefined ? [] : ['--model', home.model];
  const { args, env = {} } = bare[backend](home);
  const times = { warm: [] as number[], bare: [] as number[], empty: [] as number[] };
  const warm = () => rested(process.execPath, [turnout, 'run', '--warm', 'hello', ...chosen], place, answer);
  try {
    // The first one starts the host and the CLI, the second finds them.
    for (let i = 0; i < 3; i++) await warm();
    for (let i = 0; i < rounds; i++) {
      times.warm.push(await warm());
      times.empty.push(await rested(process.execPath, [empty], place, ''));
      times.bare.push(
        await rested(cliPath, args, { cwd: home.workingDir, env: { ...home.env, ...env } }, answer),
      );
    }
  } finally {
    await rested(process.execPath, [turnout, 'host', 'stop'], place, '');
    await model.close();
    await sleep(1000);
    await home.remove();
  }
  const [own, other, floor] = [median(times.warm), median(times.bare), median(times.empty)];
  // A machine that is busy with something else is slower at everything.
  const goal = goals[backend] * Math.max(1, floor / idleFloor);
  return [
    {
      name: `${backend}, \`turnout run --warm\` from the shell`,
      ours: milliseconds(own),
      other: `the bare CLI ${milliseconds(other)} (an empty Node program ${milliseconds(floor)})`,
      ratio: own / other,
      goal: `at most ${goals[backend]} ms where the empty program takes ${idleFloor}: ${milliseconds(goal)} here`,
      met: own <= goal,
    },
  ];
}

async function rested(...program: Parameters<typeof timed>): Promise<number> {
  await sleep(restMs);
  return timed(...program);
}
