import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installCli } from '../scripts/install-cli.js';
import { type VendorName, vendorNames } from '../src/backends/registry.js';
import { makeHome } from '../src/lab/home.js';
import { startScriptedModel } from '../src/lab/model/server.js';
import { resolveChain } from '../src/orchestra/resolve-chain.js';
import { runChain } from '../src/orchestra/run-chain.js';
import { type Comparison, median, milliseconds } from './report.js';

/** Each loop has one first and one second run: a few loops would not give a steady median. The first loop is not counted. */
const runs = 11;
const iterations = 4;

/** The most that the second run of a loop may take of the first one, which starts the CLI; and a later one. */
const goals: Readonly<Record<VendorName, number>> = { claude: 0.25, codex: 0.6, gemini: 0.1, opencode: 0.25 };

/** A chain's loop: its second run, in a CLI that is kept warm, against the first one; then the runs after the second. */
export async function measureChains(): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  const wanted = process.env['BENCH_BACKENDS']?.split(',') ?? vendorNames;
  for (const backend of vendorNames) {
    if (wanted.includes(backend)) comparisons.push(...(await measureLoop(backend)));
  }
  return comparisons;
}

async function measureLoop(backend: VendorName): Promise<readonly Comparison[]> {
  const model = await startScriptedModel({ script: ['not done yet'] });
  const home = await makeHome(backend, model.url);
  const { workingDir: cwd, env } = home;
  const limits = { queryTimeoutMs: 0, allowedTools: [], maxTurns: 25 };
  const config = { cliPath: installCli(backend), workingDir: cwd, env, model: home.model, ...limits };
  const configFor = () => config;
  const chains = {
    agents: { a: { systemPromptText: 'You work.' } },
    chains: { c: { prompt: 'go on', steps: [{ agent: 'a', iterations }] } },
  };
  writeFileSync(join(cwd, 'chains.json'), JSON.stringify(chains));
  const first: number[] = [];
  const second: number[] = [];
  const later: number[] = [];
  try {
    for (let run = 0; run < runs; run++) {
      const request = { cwd, chain: 'c', variables: new Map(), defaultBackend: backend, configFor };
      await runChain(await resolveChain(request), {
        home: join(home.directory, 'turnout'),
        configFor,
        signal: new AbortController().signal,
        tell: (event) => {
          if (event.type !== 'iteration_end') return;
          if (event.error !== undefined) throw new Error(`${backend}: ${event.error.message}`);
          // The very first loop of all makes the CLI's own files.
          if (run === 0) return;
          const times = event.iteration === 1 ? first : event.iteration === 2 ? second : later;
          times.push(event.elapsedMs);
        },
      });
    }
  } finally {
    await model.close();
    await home.remove();
  }
  return [
    against(first, second, `${backend}, the second run of a loop`, goals[backend]),
    against(first, later, `${backend}, the runs after it`, goals[backend]),
  ];
}

function against(cold: readonly number[], warm: readonly number[], name: string, goal: number): Comparison {
  const [ours, other] = [median(warm), median(cold)];
  return {
    name,
    ours: milliseconds(ours),
    other: `${milliseconds(other)} for the first one`,
    ratio: ours / other,
    goal: `at most ${goal}`,
    met: ours / other <= goal,
  };
}
