import { type BackendName, backends } from '../backends/registry.js';
import { runScenarios, type ScenarioResult } from '../lab/run-scenarios.js';
import type { Scenario } from '../lab/scenario.js';
import { scenarios } from '../lab/scenarios/table.js';
import type { CliReport } from './inspect-clis.js';

/** The results of the scenarios for one installed CLI. */
export interface DeepReport {
  readonly backend: BackendName;
  readonly version: string | undefined;
  readonly path: string;
  readonly works: boolean;
  readonly results: readonly ScenarioResult[];
}

export const deepScenarios: readonly Scenario[] = scenarios.filter((scenario) => scenario.deep);

/** Drives each installed CLI against a scripted model on this machine: no account, no tokens, no network. */
export async function inspectDeeply(
  clis: readonly CliReport[],
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<readonly DeepReport[]> {
  const reports: DeepReport[] = [];
  for (const { backend, path, version } of clis) {
    if (signal.aborted) break;
    let count = 0;
    progress(`${backend} ${version ?? ''}: ${deepScenarios.length} scenarios, about a minute`);
    const results = await runScenarios({
      cli: backend,
      cliPath: path,
      scenarios: deepScenarios,
      faces: ['library'],
      turnout: [process.execPath, process.argv[1] ?? ''],
      signal,
      onResult: ({ state, title, milliseconds }) => {
        count += 1;
        const seconds = (milliseconds / 1000).toFixed(1).padStart(5);
        progress(
          `  ${String(count).padStart(2)}/${deepScenarios.length} ${marks[state]} ${seconds} s  ${title}`,
        );
      },
    });
    reports.push({
      backend,
      version,
      path,
      works: results.every(({ state }) => state !== 'failed'),
      results,
    });
  }
  return reports;
}

const marks: Readonly<Record<ScenarioResult['state'], string>> = {
  passed: 'ok  ',
  failed: 'FAIL',
  skipped: 'skip',
};

/** One line for each CLI that says whether it works, and below it the failures with advice. */
export function deepTable(reports: readonly DeepReport[]): string {
  return reports.map(verdict).join('\n');
}

function verdict({ backend, version, works, results }: DeepReport): string {
  const passed = results.filter(({ state }) => state === 'passed').length;
  const skipped = results.filter(({ state }) => state === 'skipped');
  const failed = results.filter(({ state }) => state === 'failed');
  const lines = [
    `${works ? 'works ' : 'BROKEN'}  ${backend} ${version ?? ''}: ${passed} of ${results.length - skipped.length} scenarios pass`,
  ];
  for (const { scenario, title, reason, advice } of failed) {
    lines.push(
      `        fails: ${scenario} (${title})`,
      `          what happened: ${reason}`,
      `          what it means: ${advice}`,
    );
  }
  if (!works) {
    lines.push(
      `        what to do: update or pin the CLI (npm install -g ${backends[backend].npmPackage}@<a version in docs/compatibility.md>), then run \`turnout doctor --deep\` again.`,
    );
  }
  return `${lines.join('\n')}\n`;
}
