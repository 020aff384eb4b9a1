import { installCli } from '../scripts/install-cli.js';
import { claudeSdkSide } from '../scripts/parity/claude-sdk-side.js';
import { codexSdkSide } from '../scripts/parity/codex-sdk-side.js';
import type { Side, SideOptions, Vendor } from '../scripts/parity/side.js';
import { type VendorName, vendorNames } from '../src/backends/registry.js';
import { type LabHome, makeHome } from '../src/lab/home.js';
import { floors } from './floors.js';
import { createBackend, Sessions } from './product.js';
import { type Comparison, mean, median, milliseconds, standardError } from './report.js';
import { claudeSdkGoal, measureSameProcess } from './same-process.js';
import { startModel } from './start-model.js';
import { finish, mustNotFail, shuffled, timed, warmUp } from './turns.js';

/** Of each contender: two Claude processes with the same arguments differ by up to 7 % for as long as they live. */
const copies: Readonly<Record<VendorName, number>> = { claude: 12, codex: 4, gemini: 4, opencode: 3 };
const warmTurns = 15;
const coldTurns = 10;

/** The vendors' SDKs, where there is one. */
const sdks: Partial<Record<VendorName, (options: SideOptions) => Promise<Side>>> = {
  claude: claudeSdkSide,
  codex: codexSdkSide,
};

/** The most that a warm turn may take, as a ratio to the SDK's. */
const sdkGoals: Partial<Record<VendorName, number>> = { claude: claudeSdkGoal, codex: 1 };

/** How many times faster than a cold start a warm turn should be, about. */
const coldGoals: Readonly<Record<VendorName, number>> = { claude: 20, codex: 4, gemini: 100, opencode: 15 };

/** A warm turn with each real CLI against the same CLI one-shot and against a bare driver of the same protocol. */
export async function measureLive(): Promise<readonly Comparison[]> {
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
  const config = configFor(home, cliPath);
  const sessions = new Sessions();
  try {
    const ours: Contender = [];
    const floor: Contender = [];
    const sdk: Contender = [];
    const side = await sdks[backend]?.({ vendor: backend as Vendor, cliPath, home });
    const endings: (() => Promise<void>)[] = [];
    for (let copy = 0; copy < copies[backend]; copy++) {
      const session = await sessions.open({ backend, config });
      ours.push({ times: [], turn: (i) => finish(session.send(`say ${i}`)) });
      const driver = await floors[backend](home, cliPath);
      floor.push({ times: [], turn: (i) => driver.turn(`say ${i}`) });
      endings.push(
        () => session.close(),
        () => driver.end(),
      );
      const conversation = await side?.open({ tell: mustNotFail });
      if (conversation === undefined) continue;
      sdk.push({ times: [], turn: (i) => conversation.turn(`say ${i}`) });
      endings.push(() => conversation.close());
    }
    await alternate([...ours, ...floor, ...sdk]);
    for (const end of endings) await end();
    await side?.close();
    const warm = figureOf(ours);
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
      ...(sdk.length === 0
        ? []
        : [
            against(`${backend}, warm turn`, warm, "the vendor's SDK", figureOf(sdk), sdkGoals[backend] ?? 1),
          ]),
      ...(backend === 'claude' ? [await measureSameProcess(cliPath, home)] : []),
      against(`${backend}, warm turn`, warm, 'a bare driver', figureOf(floor), 1.15),
      compare(`${backend}, cold turn`, median(cold), 'a warm one', warm.value, {
        ratio: median(cold) / warm.value,
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

/** The copies of one program. */
type Contender = Copy[];

interface Copy {
  readonly times: number[];
  turn(index: number): Promise<void>;
}

interface Figure {
  readonly value: number;
  /** How far the value would move with other copies. */
  readonly error: number;
}

function figureOf(copies: readonly Copy[]): Figure {
  const medians = copies.map(({ times }) => median(times));
  return { value: mean(medians), error: standardError(medians) };
}

/** Missed is what is missed by more than the measurement's own error: twice the standard error of the ratio. */
function against(name: string, ours: Figure, otherName: string, other: Figure, most: number): Comparison {
  const ratio = ours.value / other.value;
  const error = 2 * ratio * Math.hypot(ours.error / ours.value, other.error / other.value);
  return {
    name,
    ours: milliseconds(ours.value),
    other: `${otherName} ${milliseconds(other.value)}`,
    ratio,
    error,
    goal: `at most ${most}`,
    met: ratio - error <= most,
  };
}

/** In turns, and each round in another order. */
async function alternate(copies: readonly Copy[]): Promise<void> {
  for (let i = 0; i < warmTurns + warmUp; i++) {
    for (const { times, turn } of shuffled(copies)) {
      const time = await timed(() => turn(i));
      if (i >= warmUp) times.push(time);
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
