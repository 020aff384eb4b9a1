import { installCli } from '../scripts/install-cli.js';
import { type BackendName, backendNames, createBackend } from '../src/backends/registry.js';
import type { ChatEvent } from '../src/core/chat-event.js';
import { type LabHome, makeHome } from '../src/lab/home.js';
import { startScriptedModel } from '../src/lab/model/server.js';
import { Sessions } from '../src/sessions/sessions.js';
import { floors } from './floors.js';
import { type Comparison, median, milliseconds } from './report.js';

const warmTurns = 20;
const coldTurns = 10;

/** How many times faster than a cold start a warm turn should be, about. */
const coldGoals: Readonly<Record<BackendName, number>> = { claude: 20, codex: 4, gemini: 100, opencode: 15 };

/** A warm turn with each real CLI against the same CLI one-shot and against a bare driver of the same protocol. */
export async function measureLive(): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const backend of backendNames) comparisons.push(...(await measureBackend(backend)));
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
    const ours: number[] = [];
    const bare: number[] = [];
    for (let i = 0; i < warmTurns + 3; i++) {
      const floorTime = await timed(() => floor.turn(`floor ${i}`));
      const ourTime = await timed(() => finish(session.send(`ours ${i}`)));
      // The first turns load what the CLI loads lazily.
      if (i < 3) continue;
      bare.push(floorTime);
      ours.push(ourTime);
    }
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
      compare(`${backend}, warm turn`, median(ours), 'a bare driver', median(bare), {
        ratio: median(ours) / median(bare),
        most: 1.15,
      }),
      compare(`${backend}, cold turn`, median(cold), 'a warm one', median(ours), {
        ratio: median(cold) / median(ours),
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
