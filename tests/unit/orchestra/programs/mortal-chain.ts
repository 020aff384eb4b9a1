// Runs or resumes a chain, and kills itself as `kill -9` does when it passes the journal point DIE_AT for the DIE_PASSING-th time.
// The last line that it prints is the report.
import { resolveChain } from '../../../../src/orchestra/resolve-chain.js';
import { resumeRun, runChain } from '../../../../src/orchestra/run-chain.js';
import { listRuns } from '../../../../src/orchestra/runs.js';
import { endOrphans } from '../../../../src/process/end-orphans.js';

const { DIE_AT, DIE_PASSING, CHAIN, CLI, TURNOUT_HOME: home = '', ...env } = process.env;
let left = Number(DIE_PASSING ?? 0);
const cwd = process.cwd();
const limits = { queryTimeoutMs: 0, allowedTools: [], maxTurns: 25 };
const configFor = () => ({
  cliPath: CLI ?? '',
  workingDir: cwd,
  env: { ...env, TURNOUT_HOME: home },
  ...limits,
});
const settings = {
  home,
  configFor,
  programs: configFor(),
  signal: new AbortController().signal,
  tell: () => {},
  watch: (point: string) => {
    if (point === DIE_AT && --left === 0) process.kill(process.pid, 'SIGKILL');
  },
};

await endOrphans({ home });
const [last] = await listRuns(home);
const report =
  last === undefined
    ? await runChain(
        await resolveChain({
          cwd,
          chain: CHAIN,
          variables: new Map(),

          defaultBackend: 'claude',
          configFor,
        }),
        settings,
      )
    : await resumeRun(last.runId, settings);
process.stdout.write(`${JSON.stringify(report)}\n`);
