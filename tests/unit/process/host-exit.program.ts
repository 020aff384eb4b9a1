import { describe, expect, onTestFinished, vi } from 'vitest';
import { it, type Stage } from '../../contract/stage.js';
import { type Ending, endings, type Host, type Hosted, startHost } from '../../host-program.js';
import { patience } from '../../machine-speed.js';
import { demoAgent } from '../cli/turnout.js';
import { ways as processWays, startFixture } from './start-fixture.js';

const ways = ['one-shot', 'live', 'runner'] as const;
const rows = ways.flatMap((way) =>
  (Object.keys(endings) as Ending[]).map((ending) => [way, ending] as const),
);

describe('a program that uses the library takes its agents down with it', () => {
  it.for(rows)('%s, by %s', async ([way, ending], { stage }) => {
    const host = await busyHost(stage, way);
    expect(await host.end(ending)).toBe(endings[ending]);
    if (ending === 'kill -9') {
      expect(tools(stage), 'it could do nothing').toHaveLength(1);
      // The next use of the library is that of another program.
      const next = startHost(hosted(stage, way, ['say exactly: hi'], demoAgent));
      expect(await next.ended, next.lines.join('\n')).toBe(0);
    }
    await stage.untilNoProcess();
  });

  const others = ['SIGQUIT', 'SIGUSR2', 'SIGABRT', 'SIGALRM', 'SIGVTALRM', 'SIGXCPU', 'SIGIO'] as const;
  const onLinux = process.platform === 'linux' ? (['SIGPWR', 'SIGSTKFLT'] as const) : [];
  it.for([...others, ...onLinux])(
    'by %s too, which ends whoever does not listen (R8.3)',
    async (signal, { stage }) => {
      const host = await busyHost(stage, 'one-shot');
      host.child.kill(signal);
      expect(await host.ended).toBe(signal);
      await stage.untilNoProcess();
    },
  );

  it('many turns at once, with one listener for each signal and no warning', async ({ stage }) => {
    const prompts = Array.from({ length: 15 }, () => 'go');
    const host = startHost(hosted(stage, 'one-shot', prompts));
    await vi.waitFor(() => expect(tools(stage)).toHaveLength(15), patience);
    host.tellListeners();
    await vi.waitFor(() => expect(host.lines).toEqual(['listeners added: 1 1 1 1']), patience);
    expect(await host.end('SIGTERM')).toBe('SIGTERM');
    await stage.untilNoProcess();
  });

  it.for(processWays)('also where it knows them by %s only', async (processWay, { stage }) => {
    vi.stubEnv('TURNOUT_PROCESSES', processWay === 'cgroups' ? undefined : processWay);
    onTestFinished(() => void vi.unstubAllEnvs());
    const host = await busyHost(stage, 'one-shot');
    expect(await host.end('SIGTERM')).toBe('SIGTERM');
    await stage.untilNoProcess();
  });

  it('and what an agent has left that is gone already, while its output is read', async ({ stage }) => {
    const env = { ...(process.env as Record<string, string>), ...stage.env };
    const owner = await startFixture('owner.ts', ['hold-pipe.mjs', 'exit with it', 'silent'], { env });
    for await (const _ of owner.lines());
    expect(await owner.exited).toEqual({ code: 0, signal: null });
    await stage.untilNoProcess();
  });

  it('from a worker thread that ends', async ({ stage }) => {
    const host = await busyHost(stage, 'one-shot', { inWorker: true });
    expect(await host.end('process.exit')).toBe(7);
    await stage.untilNoProcess();
  });

  it.for(ways)(
    'and has no listener left after the last turn, %s: it ends by itself',
    async (way, { stage }) => {
      const host = startHost(hosted(stage, way, ['say exactly: hi'], demoAgent));
      expect(await host.ended, host.lines.join('\n')).toBe(0);
      expect(host.lines.slice(-2)).toEqual(['over', 'listeners added: 0 0 0 0']);
    },
  );
});

describe('the program’s own listeners', () => {
  it('decide about a signal, and the one behind it is the default again', async ({ stage }) => {
    const host = await busyHost(stage, 'one-shot', { onSigint: 'abort once' });
    host.child.kill('SIGINT');
    expect(await host.ended).toBe(0);
    const last = host.lines.findLast((line) => line.startsWith('event '));
    expect(last).toContain('"code":"interrupted"');
    await stage.untilNoProcess();

    const patient = await busyHost(stage, 'runner', { onSigint: 'stay once' });
    patient.child.kill('SIGINT');
    await vi.waitFor(() => expect(patient.lines).toContain('heard SIGINT'), patience);
    expect(await patient.end('SIGINT'), 'the second Ctrl-C').toBe('SIGINT');
    await stage.untilNoProcess();

    const again = await busyHost(stage, 'live', { onSigint: 'stay' });
    again.child.kill('SIGINT');
    await vi.waitFor(() => expect(again.lines).toContain('heard SIGINT'), patience);
    expect(tools(stage), 'the program goes on, and so does its agent').toHaveLength(1);
    expect(await again.end('SIGTERM')).toBe('SIGTERM');
    await stage.untilNoProcess();
  });

  it.for(['signal-exit 3', 'signal-exit 4'] as const)(
    'of the package %s end the program, after the agents',
    async (onSigint, { stage }) => {
      const host = await busyHost(stage, 'runner', { onSigint });
      expect(await host.end('SIGINT')).toBe('SIGINT');
      expect(host.lines).toContain('signal-exit has cleaned up');
      await stage.untilNoProcess();
    },
  );
});

it('onHostExit: "leave" lets the agent go on, and no sweep ends it', async ({ stage }) => {
  for (const ending of ['SIGINT', 'process.exit', 'kill -9'] as const) {
    const host = await busyHost(stage, 'one-shot', { onHostExit: 'leave' });
    expect(await host.end(ending)).toBe(endings[ending]);
    const next = startHost(hosted(stage, 'one-shot', ['say exactly: hi'], demoAgent));
    expect(await next.ended).toBe(0);
    expect(tools(stage)).toHaveLength(1);
    for (const row of stage.processes()) process.kill(Number(row.split(' ')[0]), 'SIGKILL');
    await stage.untilNoProcess();
  }
});

/** A program whose agent has started a tool in a session of its own, and waits. */
async function busyHost(
  stage: Stage,
  way: Hosted['way'],
  more: Pick<Hosted, 'onSigint' | 'inWorker'> & Pick<Hosted['config'], 'onHostExit'> = {},
): Promise<Host> {
  const { onHostExit, ...others } = more;
  const turns = way === 'live' ? ['start a child', 'run a tool for 300 seconds'] : ['go'];
  const { config, ...turn } = hosted(stage, way, turns);
  const host = startHost({ ...turn, ...others, config: { ...config, onHostExit } });
  await vi.waitFor(() => expect(tools(stage), host.lines.join('\n')).toHaveLength(1), patience);
  return host;
}

function hosted(stage: Stage, way: Hosted['way'], prompts: readonly string[], cliPath?: string): Hosted {
  const tool = stage.program('agent', 'setsid sleep 600 > /dev/null 2>&1 &\nexec sleep 700');
  const program = cliPath ?? (way === 'live' ? demoAgent : tool);
  const { env, ...config } = stage.configFor(program, { TURNOUT_DEMO_SPEED: '0' });
  return { way, backend: 'claude', config: { ...config, env: { ...env } }, prompts };
}

/** The processes that an agent has started in sessions of their own. */
function tools(stage: Stage): readonly string[] {
  return stage.processes().filter((row) => /sleep 600|setTimeout/.test(row));
}
