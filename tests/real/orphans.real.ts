import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import { findOrphans } from '../../src/process/end-orphans.js';
import { commandOf, isAlive, type ProcessRow, readProcessTableNow } from '../../src/process/process-table.js';
import { buildOnce, demoAgent, finished, startTurnout, turnout } from '../unit/cli/turnout.js';
import { ways } from '../unit/process/start-fixture.js';
import { type Lab, type LabProcess, processesOf, setUpLab } from './set-up-lab.js';

beforeAll(buildOnce);

/** They do not wait to be ended. What their tools have detached stays all the same. */
const leavesByItself: Partial<Record<VendorName, string>> = {
  codex: 'Codex ends with its stdin, and its tools with it.',
  gemini: 'Gemini ends about a second after its stdin; its tools stay.',
};

describe.runIf(process.platform === 'linux').each(vendorNames)(
  'kill -9 of Turnout in a turn of %s',
  (backend) => {
    const lab = setUpLab(backend);

    it('leaves what the next Turnout ends, and nothing of a Turnout that lives', async () => {
      lab.model.use(({ toolResults }) =>
        toolResults.length > 0 ? 'After the tool.' : { steps: [{ shell: slowTool }] },
      );
      rmSync(join(lab.home.workingDir, 'go-on'), { force: true });
      // One after the other: of two Codex that come into a fresh home at once, one fails to make the database.
      const killed = await inTheTool(lab);
      const living = await inTheTool(lab);

      expect(shedProcesses()).toHaveLength(2);

      killed.child.kill('SIGKILL');
      await killed.done;
      const found = new Set(
        (await findOrphans({ home: lab.home.env['TURNOUT_HOME'] ?? '' })).map(({ pid }) => pid),
      );
      expect(found).toContain(killed.detached.pid);
      if (leavesByItself[backend] === undefined) expect(found).toContain(killed.cli.pid);
      else await vi.waitFor(() => expect(isAlive(killed.cli)).toBe(false), { timeout: 10_000 });
      for (const { pid } of [living.cli, living.detached]) expect(found).not.toContain(pid);

      // Whatever agent the next Turnout is with, it looks for orphans first.
      const demo = { BACKEND_CLI_PATH: demoAgent, TURNOUT_DEMO_SPEED: '0' };
      expect(await turnout(lab.home, ['run', 'say exactly: hi', '--live'], { env: demo })).toMatchObject({
        code: 0,
        stdout: 'hi\n',
      });
      expect(owned(lab, killed.owner)).toEqual([]);
      expect([living.cli, living.detached].map(isAlive)).toEqual([true, true]);
      if (ways.includes('cgroups')) expect(shedProcesses()).toHaveLength(1);

      writeFileSync(join(lab.home.workingDir, 'go-on'), '');
      expect(await living.done).toMatchObject({ code: 0, stdout: 'After the tool.\n' });
      if (ways.includes('cgroups')) expect(shedProcesses()).toEqual([]);
    });
  },
);

interface Turn {
  readonly child: ReturnType<typeof startTurnout>;
  readonly done: ReturnType<typeof finished>;
  readonly owner: string;
  /** The processes that Turnout itself has started. */
  readonly cli: LabProcess;
  /** The processes that the tool has started and cut off. */
  readonly detached: LabProcess;
}

/** A `turnout run` whose tool is running. */
async function inTheTool(lab: Lab): Promise<Turn> {
  const child = startTurnout(lab.place, ['run', 'use the tool', '--live']);
  const done = finished(child);
  for (;;) {
    const all = processesOf(lab.home);
    const cli = all.find(({ parent }) => parent === child.pid);
    const detached = all.find(({ owner, command }) => owner === cli?.owner && command === detachedCommand);
    if (cli?.owner !== undefined && detached !== undefined)
      return { child, done, owner: cli.owner, cli, detached };
    if (child.exitCode !== null) throw new Error(`It ended before its tool: ${JSON.stringify(await done)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const detachedCommand = 'sleep 600';
/** Only its cgroup tells whose it is. */
const shedCommand = `sleep 600.${process.pid}`;
const slowTool = `env -i setsid -f ${shedCommand} >/dev/null 2>&1; setsid ${detachedCommand} >/dev/null 2>&1 & until [ -e go-on ]; do sleep 0.1; done`;

function shedProcesses(): readonly ProcessRow[] {
  return readProcessTableNow().filter((row) => commandOf(row) === shedCommand);
}

function owned(lab: Lab, owner: string): readonly LabProcess[] {
  return processesOf(lab.home).filter((process) => process.owner === owner);
}
