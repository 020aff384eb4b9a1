import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installCli } from '../scripts/install-cli.js';
import { type VendorName, vendorNames } from '../src/backends/registry.js';
import { makeHome } from '../src/lab/home.js';
import { startScriptedModel } from '../src/lab/model/server.js';
import { resolveChain } from '../src/orchestra/resolve-chain.js';
import { runChain } from '../src/orchestra/run-chain.js';
import { type Comparison, median, milliseconds } from './report.js';

const runs = 5;
const iterations = 6;

/** The most that a later run of a loop may take of the first one, which starts the CLI. */
const goals: Readonly<Record<VendorName, number>> = { claude: 0.25, codex: 0.5, gemini: 0.1, opencode: 0.25 };

/** A chain's loop: its second and further runs, in a CLI that is kept warm, against the first one. */
export async function measureChains(): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  const wanted = process.env['BENCH_BACKENDS']?.split(',') ?? vendorNames;
  for (const backend of vendorNames) {
    if (wanted.includes(backend)) comparisons.push(await measureLoop(backend));
  }
  return comparisons;
}

async function measureLoop(backend: VendorName): Promise<Comparison> {
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
          // The very first run of all makes the CLI's own files.
          if (event.iteration > 1) later.push(event.elapsedMs);
          else if (run > 0) first.push(event.elapsedMs);
        },
      });
    }
  } finally {
    await model.close();
    await home.remove();
  }
  const [ours, other] = [median(later), median(first)];
  const goal = goals[backend];
  return {
    name: `${backend}, a later run of a loop`,
    ours: milliseconds(ours),
    other: `${milliseconds(other)} for the first one`,
    ratio: ours / other,
    goal: `at most ${goal}`,
    met: ours / other <= goal,
  };
}
