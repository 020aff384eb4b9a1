import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import type { VendorName } from '../../src/backends/registry.js';
import type { BackendAdapterConfig } from '../../src/backends/types.js';
import { type LabHome, makeHome } from '../../src/lab/home.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { sendTo } from '../../src/process/end-family.js';
import { readMark } from '../../src/process/mark-child.js';
import { type ProcessRow, readProcessTableNow } from '../../src/process/process-table.js';
import { readCommandLine, readEnvironment } from '../../src/process/read-proc.js';
import { Sessions } from '../../src/sessions/sessions.js';
import { patience } from '../machine-speed.js';
import type { Place } from '../unit/cli/turnout.js';
import { installedCli } from './installed-cli.js';

/** One of the vendors' CLIs, with a model and a home of its own. */
export interface Lab {
  readonly model: ScriptedModel;
  readonly home: LabHome;
  readonly config: BackendAdapterConfig;
  sessions: Sessions;
  /** The place in which `turnout` uses this CLI by default. */
  readonly place: Place;
}

/** Sets up a lab for all tests of a describe block. After them no process of the home may be left. */
export function setUpLab(backend: VendorName): Lab {
  const lab = {} as Lab;
  beforeAll(async () => {
    const model = await startScriptedModel();
    const home = await makeHome(backend, model.url);
    const { workingDir, env } = home;
    const cliPath = installedCli(backend);
    const limits = { queryTimeoutMs: 60_000, allowedTools: [], maxTurns: 25 };
    const config = { cliPath, workingDir, env, model: home.model, ...limits };
    const chosen = { AGENT_BACKEND: backend, BACKEND_CLI_PATH: cliPath, BACKEND_MODEL: home.model ?? '' };
    const place = { workingDir, env: { ...env, ...chosen } };
    Object.assign(lab, { model, home, config, sessions: new Sessions(), place } satisfies Lab);
  }, 60_000);
  afterEach(async ({ task }) => {
    // Processes that a failed test has left must not disturb its second try.
    if (task.result?.state === 'fail')
      await vi.waitFor(() => expect(killProcesses(lab.home)).toEqual([]), patience);
  });
  afterAll(async () => {
    await lab.sessions.close();
    const left = killProcesses(lab.home);
    await lab.model.close();
    await lab.home.remove();
    expect(left, 'processes that outlived the tests').toEqual([]);
  }, 60_000);
  return lab;
}

export interface LabProcess extends ProcessRow {
  /** The `pid.start` of the Turnout that started the process; `undefined` for a Turnout itself. */
  readonly owner: string | undefined;
  readonly command: string;
}

/** Finds all processes that carry the mark of this home. */
export function processesOf({ mark }: LabHome): readonly LabProcess[] {
  return readProcessTableNow()
    .filter(({ pid }) => readEnvironment(pid).includes(`TURNOUT_LAB=${mark}`))
    .map((row) => ({ ...row, owner: ownerOf(row), command: readCommandLine(row.pid) }));
}

function ownerOf(row: ProcessRow): string | undefined {
  const mark = readMark(row);
  return typeof mark === 'string' ? undefined : mark.owner;
}

/** Sends `kill -9` to all of them. */
export function killProcesses(home: LabHome): readonly LabProcess[] {
  const all = processesOf(home);
  sendTo(
    all.map(({ pid }) => pid),
    'SIGKILL',
  );
  return all;
}
