import type { ScenarioResult } from './run-scenarios.js';
import type { Scenario } from './scenario.js';

export interface VettedCli {
  readonly cli: string;
  readonly version: string;
  readonly results: readonly ScenarioResult[];
}

/** Writes the page that shows which version of which CLI passes which scenario. */
export function compatibilityPage(clis: readonly VettedCli[], scenarios: readonly Scenario[]): string {
  const header = ['scenario', ...clis.map(({ cli, version }) => `${cli} ${version}`)];
  const rows = scenarios.map(({ id, title }) => [
    `**${id}**: ${title}`,
    ...clis.map(({ results }) => cell(results.filter((result) => result.scenario === id))),
  ]);
  const reasons = clis.flatMap(({ cli, results }) =>
    unique(results.filter(({ state }) => state !== 'passed')).map(
      ({ scenario, state, reason }) => `- ${cli}, ${scenario} (${state}): ${reason}`,
    ),
  );
  return [
    '# Compatibility',
    '',
    'Written by `npm run lab`: the vendors’ own CLIs, driven through `turnout run` and through the library against a',
    'scripted model on loopback. Vet another version with `npm run lab -- --cli codex@<version>`.',
    '',
    table([header, header.map(() => '---'), ...rows]),
    '',
    ...(reasons.length === 0 ? [] : ['## What does not hold, and why', '', ...reasons, '']),
  ].join('\n');
}

function cell(results: readonly ScenarioResult[]): string {
  if (results.length === 0) return 'not run';
  if (results.every(({ state }) => state === 'skipped')) return 'not possible';
  return results.some(({ state }) => state === 'failed') ? '**fails**' : 'yes';
}

function unique(results: readonly ScenarioResult[]): readonly ScenarioResult[] {
  const seen = new Set<string>();
  return results.filter(({ scenario, reason }) => {
    const key = `${scenario} ${reason}`;
    return !seen.has(key) && seen.add(key);
  });
}

function table(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `| ${row.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}
