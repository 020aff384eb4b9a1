import { setTimeout as sleep } from 'node:timers/promises';
import { installCli } from '../scripts/install-cli.js';
import { type VendorName, vendorNames } from '../src/backends/registry.js';
import { makeHome } from '../src/lab/home.js';
import { TerminalStage } from '../tests/cli/terminal-stage.js';
import { bare, timed } from './bare-cli.js';
import { type Comparison, median, milliseconds } from './report.js';
import { startModel } from './start-model.js';

const rounds = 10;
const answer = 'an answer at once';
const idle = 'Ask anything';
/** From Enter to the first word. */
const mostMs = 150;

/** `turnout chat` in a pseudo-terminal, from Enter to the first word of the answer on the screen, against a turn of the bare CLI. */
export async function measureChat(): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  const wanted = process.env['BENCH_BACKENDS']?.split(',') ?? vendorNames;
  for (const backend of vendorNames) {
    if (wanted.includes(backend)) comparisons.push(await measureBackend(backend));
  }
  return comparisons;
}

async function measureBackend(backend: VendorName): Promise<Comparison> {
  const model = await startModel();
  const home = await makeHome(backend, model.url);
  const cliPath = installCli(backend);
  const { args, env = {} } = bare[backend](home);
  const place = {
    workingDir: home.workingDir,
    env: { ...home.env, AGENT_BACKEND: backend, BACKEND_CLI_PATH: cliPath },
  };
  const chosen = home.model === undefined ? [] : ['--model', home.model];
  const chat = new TerminalStage(place, ['chat', ...chosen]);
  const times = { chat: [] as number[], bare: [] as number[] };
  try {
    for (let round = -2; round < rounds; round++) {
      await chat.untilTrue(() => chat.screen.includes(idle), 'an empty field');
      await sleep(150);
      const took = await firstWord(chat);
      const other = await timed(
        cliPath,
        args,
        { cwd: home.workingDir, env: { ...home.env, ...env } },
        answer,
      );
      if (round < 0) continue;
      times.chat.push(took);
      times.bare.push(other);
    }
    chat.type('\u0004');
    await chat.exitCode;
  } finally {
    await model.close();
    await home.remove();
  }
  const [own, other] = [median(times.chat), median(times.bare)];
  return {
    name: `${backend}, \`turnout chat\` from Enter to the first word`,
    ours: milliseconds(own),
    other: `a turn of the bare CLI ${milliseconds(other)}`,
    ratio: own / other,
    goal: `at most ${mostMs} ms`,
    met: own <= mostMs,
  };
}

async function firstWord(chat: TerminalStage): Promise<number> {
  const before = chat.raw.length;
  const start = performance.now();
  chat.say('hello');
  await chat.untilTrue(() => chat.raw.includes(answer, before), 'the first word', 60_000);
  return performance.now() - start;
}
