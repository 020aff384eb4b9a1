import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import { commandOf, readProcessTableNow } from '../../src/process/process-table.js';
import { type Ending, endings, type Hosted, startHost } from '../host-program.js';
import { patience } from '../machine-speed.js';
import { buildOnce, demoAgent } from '../unit/cli/turnout.js';
import { ways as processWays } from '../unit/process/start-fixture.js';
import { type Lab, processesOf, setUpLab } from './set-up-lab.js';

const ways = ['one-shot', 'live', 'runner'] as const;
const allEndings = Object.keys(endings) as Ending[];
/** For each CLI and way, how long the last of its processes has outlived the program, by ending. */
const table = new Map<string, string[]>();

beforeAll(buildOnce, 60_000);
afterAll(() => {
  const rows = [...table].map(([what, times]) => `| ${what} | ${times.join(' | ')} |`);
  process.stdout.write(['', `| | ${allEndings.join(' | ')} |`, ...rows, ''].join('\n'));
});

describe.runIf(process.platform === 'linux').each(vendorNames)(
  'a program that ends in a turn of %s takes it down, and all that it has started',
  (backend) => {
    const lab = setUpLab(backend);

    it.each(ways.flatMap((way) => allEndings.map((ending) => [way, ending] as const)))(
      '%s, by %s',
      async (way, ending) => {
        lab.model.use(({ toolResults }) =>
          toolResults.length > 0 ? 'After the tool.' : { steps: [{ shell: slowTool }] },
        );
        const config = lab.config as Hosted['config'];
        const host = startHost({ way, backend, config, prompts: ['use the tool'] });
        await vi.waitFor(() => {
          if (host.child.exitCode !== null) throw new Error(host.lines.join('\n'));
          expect(commandsOf(lab)).toContain(detachedCommand);
          expect(shedProcesses()).toBe(1);
        }, patience);
        expect(await host.end(ending)).toBe(endings[ending]);
        const endedAt = performance.now();
        if (ending === 'kill -9') {
          expect(commandsOf(lab)).toContain(detachedCommand);
          // Whatever the next program runs, it ends what was left: here a turn with the demo agent.
          const demo = { ...config, cliPath: demoAgent, model: undefined };
          const next = startHost({ way, backend: 'claude', config: demo, prompts: ['say exactly: hi'] });
          expect(await next.ended, next.lines.join('\n')).toBe(0);
        }
        await vi.waitFor(() => {
          expect(commandsOf(lab)).toEqual([]);
          if (processWays.includes('cgroups')) expect(shedProcesses()).toBe(0);
        }, patience);
        const what = `${backend}, ${way}`;
        table.set(what, [...(table.get(what) ?? []), `${Math.round(performance.now() - endedAt)} ms`]);
      },
    );
  },
);

const detachedCommand = 'sleep 600';
/** Only its cgroup tells whose it is, where there are cgroups; elsewhere it ends by itself. */
const shedCommand = `sleep 120.${process.pid}`;
const slowTool = `env -i setsid -f ${shedCommand} >/dev/null 2>&1; setsid ${detachedCommand} >/dev/null 2>&1 & sleep 300`;

function commandsOf(lab: Lab): readonly string[] {
  return processesOf(lab.home).map(({ command }) => command);
}

function shedProcesses(): number {
  return readProcessTableNow().filter((row) => commandOf(row) === shedCommand).length;
}
