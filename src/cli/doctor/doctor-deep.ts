import { backendEntry, type VendorName, vendorNames } from '../../backends/registry.js';
import { runScenarios, type ScenarioResult } from '../../lab/run-scenarios.js';
import type { Scenario } from '../../lab/scenario.js';
import { scenarios } from '../../lab/scenarios/table.js';
import type { CliReport } from './inspect-clis.js';

/** The results of the scenarios for one installed CLI. */
export interface DeepReport {
  readonly backend: VendorName;
  readonly version: string | undefined;
  readonly path: string;
  readonly works: boolean;
  readonly results: readonly ScenarioResult[];
}

export const deepScenarios: readonly Scenario[] = scenarios.filter((scenario) => scenario.deep);

/** True if there are scenarios for this CLI: the scripted model speaks the APIs of four vendors. */
export function hasScenarios({ backend }: CliReport): boolean {
  return vendorNames.some((vendor) => vendor === backend);
}

/** Drives each installed CLI against a scripted model on this machine: no account, no tokens, no network. */
export async function inspectDeeply(
  clis: readonly CliReport[],
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<readonly DeepReport[]> {
  const reports: DeepReport[] = [];
  for (const { backend: name, path, version } of clis) {
    if (signal.aborted) break;
    const backend = vendorNames.find((vendor) => vendor === name);
    if (backend === undefined) {
      progress(`${name} ${version ?? ''}: there are no scenarios for this CLI`);
      continue;
    }
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
      `          what happened: ${indented(reason ?? '', 25)}`,
      `          what it means: ${indented(advice ?? '', 25)}`,
    );
  }
  if (!works) {
    lines.push(
      `        what to do: update or pin the CLI (${backendEntry(backend).install} is vetted), then run \`turnout doctor --deep\` again.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Puts the lines after the first one below it. */
function indented(text: string, columns: number): string {
  return text.trimEnd().replaceAll('\n', `\n${' '.repeat(columns)}`);
}
