import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installCli } from '../scripts/install-cli.js';
import { claudeSdkSide } from '../scripts/parity/claude-sdk-side.js';
import { codexSdkSide } from '../scripts/parity/codex-sdk-side.js';
import type { Side, SideOptions, Vendor } from '../scripts/parity/side.js';
import { type BackendName, backendNames, createBackend } from '../src/backends/registry.js';
import type { ChatEvent } from '../src/core/chat-event.js';
import { type LabHome, makeHome } from '../src/lab/home.js';
import { startScriptedModel } from '../src/lab/model/server.js';
import { Sessions } from '../src/sessions/sessions.js';
import { floors } from './floors.js';
import { type Comparison, median, milliseconds } from './report.js';

/** Of each contender: two processes of the same CLI with the same arguments differ by up to 7 % for as long as they live. */
const copies = 6;
const warmTurns = 15;
const coldTurns = 10;

/** The vendors' SDKs, where there is one. */
const sdks: Partial<Record<BackendName, (options: SideOptions) => Promise<Side>>> = {
  claude: claudeSdkSide,
  codex: codexSdkSide,
};

/** How many times faster than a cold start a warm turn should be, about. */
const coldGoals: Readonly<Record<BackendName, number>> = { claude: 20, codex: 4, gemini: 100, opencode: 15 };

/** A warm turn with each real CLI against the same CLI one-shot and against a bare driver of the same protocol. */
export async function measureLive(): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  const wanted = process.env['BENCH_BACKENDS']?.split(',') ?? backendNames;
  for (const backend of backendNames) {
    if (wanted.includes(backend)) comparisons.push(...(await measureBackend(backend)));
  }
  return comparisons;
}

async function measureBackend(backend: BackendName): Promise<readonly Comparison[]> {
  const model = await startScriptedModel({ script: ['an answer at once'] });
  const home = await makeHome(backend, model.url);
  const cliPath = installCli(backend);
  const config = configFor(home, cliPath);
  const sessions = new Sessions();
  try {
    const ours: Contender = { times: [], turns: [] };
    const floor: Contender = { times: [], turns: [] };
    const sdkSides = await startSdks(backend, cliPath, home);
    const endings: (() => Promise<void>)[] = [];
    for (let copy = 0; copy < copies; copy++) {
      const session = await sessions.open({ backend, config });
      ours.turns.push((i) => finish(session.send(`say ${i}`)));
      const driver = await floors[backend](home, cliPath);
      floor.turns.push((i) => driver.turn(`say ${i}`));
      endings.push(
        () => session.close(),
        () => driver.end(),
      );
      for (const { side, contender } of sdkSides) {
        const conversation = await side.open({ tell: () => undefined });
        contender.turns.push((i) => conversation.turn(`say ${i}`));
        endings.push(() => conversation.close());
      }
    }
    await alternate([ours, floor, ...sdkSides.map(({ contender }) => contender)]);
    for (const end of endings) await end();
    for (const { side } of sdkSides) await side.close();
    const warm = median(ours.times);
    const bare = median(floor.times);
    const opening: number[] = [];
    for (let i = 0; i < 10; i++) {
      const start = performance.now();
      const session = await sessions.open({ backend, config });
      opening.push(performance.now() - start);
      await finish(session.send('hello'));
      await session.close();
    }
    const oneShot = createBackend(backend, config);
    const cold: number[] = [];
    for (let i = 0; i < coldTurns; i++)
      cold.push(await timed(() => finish(oneShot.run({ prompt: `cold ${i}` }))));
    return [
      ...sdkSides.map(({ name, contender }) =>
        compare(`${backend}, warm turn`, warm, name, median(contender.times), {
          ratio: warm / median(contender.times),
          most: 1,
        }),
      ),
      compare(`${backend}, warm turn`, warm, 'a bare driver', bare, { ratio: warm / bare, most: 1.15 }),
      compare(`${backend}, cold turn`, median(cold), 'a warm one', warm, {
        ratio: median(cold) / warm,
        least: coldGoals[backend],
      }),
      compare(`${backend}, new session in a warm process`, median(opening), '100 ms', 100, {
        ratio: median(opening) / 100,
        most: 1,
      }),
    ];
  } finally {
    await sessions.close();
    await model.close();
    await home.remove();
  }
}

interface Contender {
  /** Of all copies. */
  readonly times: number[];
  /** Takes one turn, for each copy. */
  readonly turns: ((index: number) => Promise<void>)[];
}

interface Sdk {
  readonly name: string;
  readonly side: Side;
  readonly contender: Contender;
}

/**
 * Claude's SDK leaves its CLI in the caller's session. Turnout (and the bare driver) gives a CLI one of its own, so that
 * it can be ended with all its tools and is out of reach of the terminal's Ctrl-C; where Linux groups processes by
 * session (`sched_autogroup_enabled`), such a process waits longer for a busy CPU. Hence the SDK once as it is, and once
 * with its CLI in a session of its own: the difference to that is what our code costs.
 */
async function startSdks(backend: BackendName, cliPath: string, home: LabHome): Promise<readonly Sdk[]> {
  const start = sdks[backend];
  if (start === undefined) return [];
  const vendor = backend as Vendor;
  const contender = () => ({ times: [], turns: [] });
  const asItIs = await start({ vendor, cliPath, home });
  const found: Sdk[] = [{ name: "the vendor's SDK", side: asItIs, contender: contender() }];
  if (backend === 'claude' && process.platform === 'linux') {
    const apart = join(home.directory, 'claude-in-its-own-session');
    await writeFile(apart, `#!/bin/sh\nexec setsid '${cliPath}' "$@"\n`, { mode: 0o700 });
    const side = await start({ vendor, cliPath: apart, home });
    found.push({ name: "the vendor's SDK, CLI in a session of its own,", side, contender: contender() });
  }
  return found;
}

/** What a CLI still does after its result is not to slow the next contender's turn. */
const restMs = 20;

/** In turns, and each round in another order: nobody always comes first, nor always after the same one. */
async function alternate(contenders: readonly Contender[]): Promise<void> {
  const runs = contenders.flatMap(({ times, turns }) => turns.map((turn) => ({ times, turn })));
  for (let i = 0; i < warmTurns + 3; i++) {
    for (const { times, turn } of shuffled(runs)) {
      await sleep(restMs);
      const time = await timed(() => turn(i));
      // The first turns load what the CLI loads lazily.
      if (i >= 3) times.push(time);
    }
  }
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

function configFor(home: LabHome, cliPath: string) {
  return {
    cliPath,
    workingDir: home.workingDir,
    queryTimeoutMs: 120_000,
    allowedTools: [],
    maxTurns: 25,
    model: home.model,
    env: home.env,
  };
}

function compare(
  name: string,
  ours: number,
  otherName: string,
  other: number,
  { ratio, most, least }: { ratio: number; most?: number; least?: number },
): Comparison {
  return {
    name,
    ours: milliseconds(ours),
    other: other === 100 && otherName === '100 ms' ? otherName : `${otherName} ${milliseconds(other)}`,
    ratio,
    goal: most === undefined ? `about ${least}` : `at most ${most}`,
    met: most === undefined ? ratio >= (least ?? 0) * 0.7 : ratio <= most,
  };
}

async function finish(events: AsyncIterable<ChatEvent>): Promise<void> {
  let last: ChatEvent | undefined;
  for await (const event of events) last = event;
  if (last?.type !== 'complete') throw new Error(`The turn ended with ${JSON.stringify(last)}`);
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}
