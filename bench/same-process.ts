import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { claudeSdkSide, type SpawnedProcess, type SpawnOptions } from '../scripts/parity/claude-sdk-side.js';
import type { LabHome } from '../src/lab/home.js';
import {
  ChildRun,
  claudeLive,
  connect,
  defaultClocks,
  LiveBackendSession,
  TurnLocks,
  WarmPool,
} from './product.js';
import { type Comparison, mean, median, milliseconds, standardError } from './report.js';
import { finish, mustNotFail, shuffled, timed, warmUp } from './turns.js';

const processes = 12;
const rounds = 40;

/** Each message of ours carries an id, which costs 1.8 % of a short turn (decision 7); the SDK sends none. */
export const claudeSdkGoal = 1.03;

/**
 * The vendor's SDK and Turnout take turns with the same Claude processes. Two processes with the same arguments differ by
 * up to 7 %, more than the two ways to drive them: so this tells them apart where contenders with processes of their own
 * can't.
 */
export async function measureSameProcess(cliPath: string, home: LabHome): Promise<Comparison> {
  const contests: Contest[] = [];
  try {
    for (let i = 0; i < processes; i++) contests.push(await openContest(cliPath, home));
    for (let round = 0; round < warmUp + rounds; round++) {
      for (const contest of shuffled(contests)) {
        for (const way of shuffled(['sdk', 'ours'] as const)) {
          const time = await timed(() => contest.turn(way, `say ${round}`));
          if (round >= warmUp) contest.times[way].push(time);
        }
      }
    }
    return report(contests);
  } finally {
    await Promise.allSettled(contests.map((contest) => contest.end()));
  }
}

type Way = 'sdk' | 'ours';

/** One process, and the two who talk to it. */
interface Contest {
  readonly times: Readonly<Record<Way, number[]>>;
  turn(way: Way, prompt: string): Promise<void>;
  end(): Promise<void>;
}

async function openContest(cliPath: string, home: LabHome): Promise<Contest> {
  const pipes = { sdk: new PassThrough(), ours: new PassThrough() };
  let listens: Way = 'sdk';
  let child: ChildProcess | undefined;
  const side = await claudeSdkSide({
    vendor: 'claude',
    cliPath,
    home,
    spawn({ command, args, cwd, env }: SpawnOptions): SpawnedProcess {
      child = spawn(command, args, { cwd, env, detached: true });
      child.stderr?.resume();
      child.stdout?.on('data', (chunk: Buffer) => pipes[listens].write(chunk));
      return withStdout(child, pipes.sdk);
    },
  });
  const conversation = await side.open({ tell: mustNotFail });
  const meet = async () => {
    await conversation.turn('hello');
    if (child === undefined) throw new Error('The SDK did not ask for its process.');
    listens = 'ours';
    return sessionOver(child, pipes.ours, cliPath, home);
  };
  const session = await meet().catch(async (error: unknown) => {
    // With it goes the process, which nobody else would end.
    await side.close();
    throw error;
  });
  return {
    times: { sdk: [], ours: [] },
    async turn(way, prompt) {
      listens = way;
      if (way === 'sdk') await conversation.turn(prompt);
      else await finish(session.send(prompt));
    },
    async end() {
      await session.close();
      await side.close();
    },
  };
}

/** Turnout's whole way from a prompt to its events, in a process that somebody else has started. */
async function sessionOver(
  child: ChildProcess,
  stdout: PassThrough,
  cliPath: string,
  home: LabHome,
): Promise<InstanceType<typeof LiveBackendSession>> {
  const options = {
    cwd: home.workingDir,
    systemPrompt: '',
    permissionMode: 'bypass',
    allowedTools: [],
    disallowedTools: [],
  } as const;
  const spec = { command: cliPath, args: [], env: home.env, stdin: 'open' } as const;
  const piped = withStdout(child, Object.assign(stdout, { unref() {} }));
  const live = await connect(
    new ChildRun(piped, spec, { owner: 'bench', home: 'bench', run: 'bench' }),
    options,
  );
  const session = new LiveBackendSession({
    backend: 'claude',
    protocol: claudeLive,
    options,
    clocks: { ...defaultClocks, turnMs: 120_000 },
    pool: new WarmPool({}),
    locks: new TurnLocks(),
    kindOf: () => ({ key: 'the same', protocol: claudeLive, start: async () => live }),
    onSession() {},
    onClose() {},
  });
  await session.prepare();
  return session;
}

/** The same child, with another pipe to read from. */
function withStdout(child: ChildProcess, stdout: PassThrough): ChildProcess {
  return new Proxy(child, {
    get(target, key) {
      if (key === 'stdout') return stdout;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function report(contests: readonly Contest[]): Comparison {
  const middle = (way: Way) => mean(contests.map(({ times }) => median(times[way])));
  const ratios = contests.map(({ times }) => median(times.ours) / median(times.sdk));
  const ratio = mean(ratios);
  const error = 2 * standardError(ratios);
  return {
    name: 'claude, warm turn in the same process',
    ours: milliseconds(middle('ours')),
    other: `the vendor's SDK ${milliseconds(middle('sdk'))}`,
    ratio,
    error,
    goal: `at most ${claudeSdkGoal}`,
    met: ratio - error <= claudeSdkGoal,
  };
}
