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

const warmTurns = 20;
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
    const session = await sessions.open({ backend, config });
    const floor = await floors[backend](home, cliPath);
    const sdk = await sdks[backend]?.({ vendor: backend as Vendor, cliPath, home });
    const conversation = await sdk?.open({ tell: () => undefined });
    const contenders: Contender[] = [
      { name: 'ours', times: [], turn: (i) => finish(session.send(`ours ${i}`)) },
      { name: 'floor', times: [], turn: (i) => floor.turn(`floor ${i}`) },
      ...(conversation
        ? [{ name: 'sdk', times: [], turn: (i: number) => conversation.turn(`sdk ${i}`) }]
        : []),
    ];
    await alternate(contenders);
    const [ours = Number.NaN, bare = Number.NaN, vendor] = contenders.map(({ times }) => median(times));
    await conversation?.close();
    await sdk?.close();
    await floor.end();
    await session.close();
    const opening: number[] = [];
    for (let i = 0; i < 10; i++) {
      let next = session;
      opening.push(
        await timed(async () => {
          next = await sessions.open({ backend, config });
        }),
      );
      await finish(next.send('hello'));
      await next.close();
    }
    const oneShot = createBackend(backend, config);
    const cold: number[] = [];
    for (let i = 0; i < coldTurns; i++)
      cold.push(await timed(() => finish(oneShot.run({ prompt: `cold ${i}` }))));
    return [
      ...(vendor === undefined
        ? []
        : [
            compare(`${backend}, warm turn`, ours, "the vendor's SDK", vendor, {
              ratio: ours / vendor,
              most: 1,
            }),
          ]),
      compare(`${backend}, warm turn`, ours, 'a bare driver', bare, {
        ratio: ours / bare,
        most: 1.15,
      }),
      compare(`${backend}, cold turn`, median(cold), 'a warm one', ours, {
        ratio: median(cold) / ours,
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
  readonly name: string;
  readonly times: number[];
  turn(index: number): Promise<void>;
}

/** In turns, and each round in another order: whoever comes first must not have the quieter machine. */
async function alternate(contenders: readonly Contender[]): Promise<void> {
  for (let i = 0; i < warmTurns + 3; i++) {
    for (let at = 0; at < contenders.length; at++) {
      const contender = contenders[(i + at) % contenders.length];
      const time = await timed(async () => contender?.turn(i));
      // The first turns load what the CLI loads lazily.
      if (i >= 3) contender?.times.push(time);
    }
  }
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
